int outer(int n) {
    auto int nested(int);
    int nested(int x) { return x + n; }
    void *labels[] = { &&one, &&two };
    goto *labels[n];
one:
two:
    return nested(({ int y = n; y ?: 2; }));
}
old(a, b, c)
    char *a;
    register b;
{
    return a ? : b;
}
struct list *older(head) struct list *head; { return head; }
__extension__ union { int i; } anonymous;
__extension__ __extension__ int twice;
int with_statement_expression = __extension__ ({ 1; });
