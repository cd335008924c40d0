asm("top" " level");
void f(int n) {
    asm volatile goto ("x %0" : [out] "=r" (n), "+m" (*&n) : "r" (1) : "memory", "cc" : l1, l2);
    asm("nop");
    asm("a" : : "r" (n));
    asm("b" :: "r" (n) : "memory");
    __asm__ __volatile__ ("c" ::: "memory");
    asm inline ("d" : "=r" (n));
    asm("e" : : : );
    register int x asm("eax") = 1;
l1:
l2:;
}
