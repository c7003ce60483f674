/* A sketch as C++: the prototypes that are added to it, and the registers that a PC does not have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "app/files/sketch.h"
#include "tests/support/folder.h"
#include "tests/support/machine.h"

/* Returns in HEADS the text between the text before the first function and the functions. */
static void prototypes_of(const char *text, char *heads, size_t size)
{
    char *made = sketch_prototypes(text);
    assert_non_null(made);
    const char *end = strstr(made, "\n#line");
    assert_non_null(end);
    /* The text before the first function is unchanged, and stands before the prototypes. */
    size_t same = 0;
    while (text[same] && text[same] == made[same])
        same++;
    const char *from = made + same < end ? made + same : end;
    snprintf(heads, size, "%.*s", (int)(end - from), from);
    free(made);
}

static const struct {
    const char *text, *heads;
} sketches[] = {
    {"void setup() {}\nvoid loop() { go(); }\nint go() { return 1; }\n",
     "void setup();\nvoid loop();\nint go();"},
    {"const char *name(int a, byte *b)\n{\n}\n", "const char *name(int a, byte *b);"},
    {"static inline unsigned long f(void) // a\n{ if (1) { g(); } }\n",
     "static inline unsigned long f(void);"},
    {"struct A { int f() { return 1; } };\nint A::g() { }\nclass B {};\nenum C { D };\n", ""},
    {"template <class T> T f(T t) { return t; }\nint g(int a = 1) { return a; }\n", ""},
    {"int a[] = {1, 2};\nISR(TIMER1_OVF_vect) { a[0]++; }\nint f() { return '{'; }\n", "int f();"},
    {"// void f() {\n/* void g() { */\n#define H() {\nconst char *s = \"void i() {\";\n"
     "byte j() { return 0; }\n",
     "byte j();"},
    {"struct P { int x; };\nstruct P f(struct P p) { return p; }\n", "struct P f(struct P p);"},
    {"setup() {}\n LOOP(1) {}\nstruct A {};\n", ""},
    {"extern \"C\" { void f() {} }\nnamespace n { int g() { return 0; } }\n", ""},
    /* Comments and string literals in one line with functions. */
    {"int a; /* { */ void f() {}\n", "void f();"},
    {"int a; /**/ int f() { return 'x'; } int g() { return ' '; }\n", "int f();\nint g();"},
    {"char *s = \"\\\"{\"; int f() { return 0; }\n", "int f();"},
    {"char *s = \"{\\\\\"; int f() { return 0; }\n", "int f();"},
    {"char *s = \"\\\"\"; int f() { return 0; }\n", "int f();"},
    {"char *s = \"\", *t = \"{\", *u = \"{{\"; int f() { return 0; }\n", "int f();"},
    {"int f(int a, /* b */ int c)// d\n{ return 0; }\n", "int f(int a,         int c);"},
    /* Directives of the preprocessor, of several lines too. */
    {"#define A {\nint f() { return 0; }\n", "int f();"},
    {"int a;\n#define A {\n \t# define B {\nint f() { return 0; }\n", "int f();"},
    {"#define A \\\n  { \\\n  {\nint f() { return 0; }\n", "int f();"},
    {"int a # {\nint f() { return 0; }\n", ""}, /* a # inside a line does not begin a directive */
    /* Blanks around a name, and heads that do not belong to a function. */
    {"int f (void)\n{ return 0; }\n", "int f (void);"},
    {"int A:: f() { return 0; }\nint B::g() { return 0; }\na:h() {}\n", ""},
    {"loop () {}\n", ""},
    {"auto f() -> int { return 0; }\nint a) {}\n", ""},
};

static void each_function_gets_its_prototype(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sketches / sizeof *sketches; i++) {
        char heads[512], *at = heads;
        prototypes_of(sketches[i].text, heads, sizeof heads);
        while (*at == '\n')
            at++;
        while (*at && at[strlen(at) - 1] == '\n')
            at[strlen(at) - 1] = '\0';
        if (strcmp(at, sketches[i].heads) != 0)
            fail_msg("%s\nhas:\n%s", sketches[i].text, at);
    }
}

/* A message of the compiler gives the file and line of the sketch. */
static void lines_keep_their_numbers(void **state)
{
    (void)state;
    char *made = sketch_prototypes("#line 1 \"a.ino\"\nint a;\n\nvoid f() {\n}\n"
                                   "#line 1 \"b.ino\"\nvoid g() {}\n");
    assert_non_null(strstr(made, "void f();\nvoid g();\n\n#line 3 \"a.ino\"\nvoid f() {\n}\n"
                                 "#line 1 \"b.ino\"\nvoid g() {}\n"));
    free(made);
}

static void the_place_of_the_first_function_is_told_again(void **state)
{
    (void)state;
    static const struct {
        const char *text, *made;
    } rows[] = {
        {"int a;\nvoid f() { p(\"%d%s%n\"); }\n",
         "int a;\n\nvoid f();\n\n#line 2 \nvoid f() { p(\"%d%s%n\"); }\n"},
        {"void f() {}", "\nvoid f();\n\n#line 1 \nvoid f() {}"},
        {"int a;\n", "int a;\n\n\n#line 2 \n"},
        {"#line 1 \"a.ino\"\nint a;\n#line 1 \"b.ino\"\nint b;\nvoid f() {}\n",
         "#line 1 \"a.ino\"\nint a;\n#line 1 \"b.ino\"\nint b;\n\nvoid f();\n\n#line 2 "
         "\"b.ino\"\nvoid f() {}\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *made = sketch_prototypes(rows[i].text);
        assert_string_equal(made, rows[i].made);
        free(made);
    }
}

/* The file that is named like the folder, then the others by name. */
static void the_files_of_a_folder_are_joined_in_order(void **state)
{
    (void)state;
    struct folder folder;
    struct error error = {0};
    char name[FOLDER_PATH_MAX], wanted[4 * FOLDER_PATH_MAX];
    folder_make(&folder);
    snprintf(name, sizeof name, "%s.ino", strrchr(folder.path, '/') + 1);
    folder_write(&folder, "A.pde", "int c;\n");
    folder_write(&folder, name, "int a;");
    folder_write(&folder, "b.ino", "int b;\n");
    folder_write(&folder, "0\"\n\\.ino", "int d;\n");
    folder_write(&folder, ".hidden.ino", "int e;\n");
    folder_write(&folder, "more.cpp", "int f;\n");
    folder_write(&folder, "x.ino.txt", "int g;\n");
    unsigned before = descriptor_count();
    char *sketch = sketch_read(folder.path, &error);
    if (!sketch)
        fail_msg("%s", error.text);
    assert_string_equal(error.text, "");
    assert_int_equal(descriptor_count(), before);
    snprintf(wanted, sizeof wanted,
             "#include <Arduino.h>\n#line 1 \"%s/%s\"\nint a;\n#line 1 \"%s/0\\\"?\\\\.ino\"\n"
             "int d;\n\n#line 1 \"%s/A.pde\"\nint c;\n\n#line 1 \"%s/b.ino\"\nint b;\n",
             folder.path, name, folder.path, folder.path, folder.path);
    if (strncmp(sketch, wanted, strlen(wanted)) != 0)
        fail_msg("%s\nand not:\n%s", sketch, wanted);
    assert_null(strstr(sketch, "int e;"));
    assert_null(strstr(sketch, "int f;"));
    free(sketch);
    folder_remove(&folder);
}

static void a_folder_of_c_needs_no_sketch_and_an_empty_one_is_refused(void **state)
{
    (void)state;
    struct folder folder;
    struct error error = {0};
    folder_make(&folder);
    folder_write(&folder, "notes.txt", "x");
    folder_write(&folder, ".cpp", "x");
    assert_null(sketch_read(folder.path, &error));
    assert_non_null(strstr(error.text, "not a folder with .ino"));
    folder_write(&folder, "main.c", "int main(void) { return 0; }\n");
    char *sketch = sketch_read(folder.path, &error);
    assert_non_null(sketch);
    assert_non_null(strstr(sketch, "#include <Arduino.h>\n"));
    assert_null(strstr(sketch, "main"));
    free(sketch);
    char path[FOLDER_PATH_MAX];
    assert_int_equal(mkdir(folder_path(&folder, "in.ino", path), 0700), 0);
    assert_null(sketch_read(folder.path, &error));
    assert_non_null(strstr(error.text, "in.ino: found a folder instead of a file"));
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_function_gets_its_prototype),
        cmocka_unit_test(lines_keep_their_numbers),
        cmocka_unit_test(the_place_of_the_first_function_is_told_again),
        cmocka_unit_test(the_files_of_a_folder_are_joined_in_order),
        cmocka_unit_test(a_folder_of_c_needs_no_sketch_and_an_empty_one_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
