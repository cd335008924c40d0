__attribute__((__malloc__(my_free, 1), format(printf, 1, 2))) void *make(const char *, ...);
void takes(int *p) __attribute__((ownership_takes(malloc, 1))) __attribute__((nonnull));
[[nodiscard]] [[gnu::malloc, clang::ownership_returns(malloc)]] void *standard(void) [[gnu::nonnull]];
int x [[maybe_unused]] = 1, y [[deprecated("old")]];
__attribute__((availability(macos, introduced=10.4.1, message="x" @ y))) int skipped;
__attribute__((,, cold, )) int empty_ones;
__attribute__((vector_size(16))) float vector;
typedef int word __attribute__((mode(__DI__)));
typedef int mode_named_as_type __attribute__((mode(word)));
__attribute__((aligned(sizeof(long)))) char aligned;
__attribute__((type_arg(struct s *), const)) int typed;
int (__attribute__((noreturn)) *pointer)(void), __attribute__((unused)) second;
char *__attribute__((address_space(1))) *far;
void parameters(__attribute__((unused)) int a, int b __attribute__((noescape)), [[maybe_unused]] int c);
struct s __attribute__((cleanup(drop))) belongs_to_object;
void statements(int n) {
    __attribute__((cleanup(free_int))) int *p = 0;
    __attribute__((unused)) int q;
    switch (n) {
    case 1:
        n++;
        __attribute__((fallthrough));
    case 2:
        [[fallthrough]];
    default:
        [[likely]] n--;
    }
label: __attribute__((unused))
    n = 2;
    [[maybe_unused]] int r;
}
[[]];
