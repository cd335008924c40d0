#pragma once_upon_a_time
#pragma pack(push, 1)
struct one { int a; };
#pragma pack(2)
struct two { int a;
#pragma pack(4)
    int b; };
#pragma pack(pop)
struct none { int a; };
#pragma pack(push, name, 8)
#pragma pack(push)
#pragma pack(1)
#pragma pack(pop, name)
struct none_again { int a; };
#pragma pack(16)
#pragma pack()
struct reset { int a; };
void f(void) {
#pragma omp parallel
    for (;;) ;
}
