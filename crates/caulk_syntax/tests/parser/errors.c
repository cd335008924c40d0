void paren(void) { if (x { y(); } }
void after_paren(void) { }
void expression(void) { return +; }
1 + 1;
int bad bad2 bad3;
int after_declaration;
void unclosed(void) { if (1) {
}
int closed(void) { return 1; }
int missing_semicolon = 3
int next_one;
int bad_header(int 3) { return 1; }
int after_header;
struct s { int a; ] ; int b; };
struct more_than_one_type { int a; } int z;
long float f;
void stray(void) { @ }
}
int after_brace;
void too_open(void) { { { {
}
static int by_layout;
int unfinished(void) { return
