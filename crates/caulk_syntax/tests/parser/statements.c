typedef int T;
int f(int n) {
    __label__ first, second;
    int x = 1, *y = &x;
    ;
    { }
    if (n) ; else if (n == 2) return 1; else return 2;
    if (a) if (b) c(); else d();
    while (n) n--;
    do { n++; } while (n < 3);
    for (;;) break;
    for (T i = 0, *j; i < 3; i++) continue;
    for (n = 0; ; ) { }
    switch (n) {
    case 1 ... 3:
        T t;
    case 4:
    case 5:
        break;
    default:
    }
first:
    int after_label = 3;
second:
    n++;
    goto first;
    _Static_assert(1);
    _Static_assert(1, "message");
    struct local { int a; };
    typedef char *L;
    L l;
    return (x, n);
last:
}
