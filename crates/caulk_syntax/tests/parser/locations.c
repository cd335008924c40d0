// locations
int main(int argc, char **argv) {
    struct s *p = make(argc, argv[0]);
    p->next = p ? p : 0;
    if (argc > 1)
        return 2;
}
