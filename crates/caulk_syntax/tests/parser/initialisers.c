int a[] = { 1, [5] = 2, [7 ... 9] = 3, [10] 4, };
struct s x = { .p.q = 1, y: 2, .r[3].t = { 0 }, {}, { { 1 }, 2 } };
struct s y = {};
int z = { 1 };
char text[] = { "abc" };
int *p = (int[]){ 1, 2 };
struct s w = (struct s){ .p = { 1 } };
