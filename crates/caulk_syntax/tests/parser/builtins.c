typedef int T;
void f(void) {
    __builtin_offsetof(struct P, a.b[2].c);
    __builtin_va_arg(ap, int *);
    __builtin_types_compatible_p(int, T[3]);
    __builtin_choose_expr(1, 2, 3)(4);
    __builtin_convertvector(v, T);
    __builtin_bit_cast(T, x);
    __builtin_classify_type(T);
    __builtin_expect(x, 0);
    _Generic(y, int: 1, T *: 2, default: 3);
    _Generic(int, T: 1);
    __real__ y + __imag__ y;
    &&label;
    _Countof(a) + _Countof(int[3]);
    ({ int z = 1; z; }) + 1;
    ({});
label:
    goto *tab[n];
}
