// dialect: strict c11
typedef int bool;
bool true, false, nullptr, constexpr, typeof, asm, alignas;
int f(void) { return true + typeof * asm; }
