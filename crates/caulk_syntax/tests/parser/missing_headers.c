foo_t *pointer;
foo_t object;
static foo_t (*function_pointer)(int);
API int annotated(foo_t x, bar_t);
API foo_t *annotated_unknown(bar_t *, const baz_t *);
EXTERN const char *annotated_qualified(void);
foo_t const *qualified;
int unnamed(foo_t, int);
struct members { foo_t a; foo_t *b; API int c; };
void uses(void) {
    foo_t x;
    foo_t *y = (foo_t *)z;
    foo_t **w;
    (foo_t)x;
    (foo_t)(x);
    (foo_t)-1;
    (other_t)x;
    sizeof(foo_t);
    va_arg(ap, foo_t *);
    va_arg(ap, foo_t);
    a * b;
    unknown_function(unknown_value);
    for (foo_t i = 0; ; ) ;
}
DECLARE(x)
int after_macro(void) { return 1; }
DECLARE(y)
static int after_another;
MODULE_LICENSE("GPL");
int after_call;
