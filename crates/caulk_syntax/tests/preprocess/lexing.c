/* Splices, literals, numbers, odd bytes. */
int a\
b\
c = 1\
2;
"str\
ing" 'c\
' L"w\
ide" u8"x" u"y" U"z" L'a' U'b';
/\
* comment *\
/ after / /* x */ b /\
/ line comment \
continues
x +\
+ y -\
> z <\
<= w ..\
. v;
1.5e+3 0x1p-3 .5 1..2 0xe+1 1e 08 0b101 1_000 1e+ 12abc.de+f 3.f 0x1.8p+1L a.b 5.;
a+++b a---b a<<=b a>>=b a->b a--->b a...b a..b a%:b a&&&b a|||b a^=b !=== ~!a ?: :: a:::b;
$dollar a$b "bytes \xff é" 'é';
"\u00e9";
#define EMPTY
#define stringify(x) #x
stringify(ab\
cd "x\
y") stringify( \
) stringify("é");
a/**/b a/* */ b/* x */c//d
   /* indented */ # not a directive
 /* a directive */ # define after_comment yes
after_comment
%: define digraph_define yes
digraph_define
#define multi \
  line \
  body /* comment \
  in it */ done
multi
"unfinished is fine in skipped text";
#if 0
don't "worry
/* 'comment' */
#endif
"a""b" 'a''b' "a"'b' a"b" u8 "c" "d"e f"g";
#define LPAREN (
"trailing \\" "\"" '\'' '"' "'" "\\\\";
@ ;
