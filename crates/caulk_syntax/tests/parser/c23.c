// dialect: c23
constexpr int zero = 0;
auto inferred = 1.5;
static auto pointer = &zero;
bool yes = true, no = false;
void *null = nullptr;
thread_local int t;
alignas(8) char c;
static_assert(alignof(int) == 4);
typeof_unqual(zero) u;
enum e : long { BIG };
[[nodiscard("why")]] int f(int, ...);
int variadic(...);
int g() {
    int *p = (static constexpr int[]){ 1 };
    if (int x = f(1); x > 2) return x;
    if (int y = f(2)) return y;
    switch (f(3); 4) { case 1: }
    int n = 1'000'000;
    _BitInt(3) small = 1wb;
    _Decimal32 d = 1.0df;
    return 0b1;
label:
}
