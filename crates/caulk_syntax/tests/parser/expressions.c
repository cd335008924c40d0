void f(void) {
    a || b && c | d ^ e & g == h < i << j + k * -l;
    a * b / c % d - e + f;
    a = b = c += d, e ? f : g ? h : i;
    a ?: b ? c, d : e;
    a -= b; a *= b; a /= b; a %= b; a <<= b; a >>= b; a &= b; a ^= b; a |= b;
    *p++ = (int)~!x;
    -x->y.z[3](1, (2, 3))--;
    ++*p, --(*q);
    &*&a;
    (char)(short)x + 1;
    (int)x[1];
    (p)->q;
    (f)(x);
    sizeof x + 1;
    sizeof(x) + 1;
    sizeof(int) * 2;
    sizeof *p->q;
    sizeof sizeof(int);
    _Alignof(double) + __alignof__ x;
    a > b >= c <= d != e;
    +a;
    __extension__ (a);
}
