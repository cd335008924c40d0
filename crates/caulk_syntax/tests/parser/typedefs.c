typedef int T;
typedef struct S S;
void parameter_named_as_its_type(T T);
int parameter_type_only(T);
int typedef_name_in_parentheses_is_a_type(int (T));
int object_name_in_parentheses(T (x));
unsigned T_is_a_name_after_a_type, U;
void shadowing(void) {
    T (x);
    T *p;
    {
        int T = 2, p = 3;
        T * p;
    T:
        goto T;
    }
    sizeof(T);
    (T)(x);
    (T){1};
    sizeof(T){1};
    sizeof (x)[1];
    for (int T = 0; T < 3; T++) T * 2;
    T after_for;
    enum { T = sizeof(T) };
    T;
}
T visible_again;
struct members { T T; unsigned S : 3; T : 4; S *s; };
int hides(int T) { return T * T; }
extern int (T);
