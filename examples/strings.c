/* A small program with a leak in it: `join` forgets `copy` when the second allocation fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name {
    char *first;
    char *last;
};

static char *join(const struct name *name)
{
    char *copy = strdup(name->first);
    if (!copy)
        return NULL;
    size_t length = strlen(copy) + strlen(name->last) + 2;
    char *result = malloc(length);
    if (!result)
        return NULL;
    snprintf(result, length, "%s %s", copy, name->last);
    free(copy);
    return result;
}

int main(int argc, char **argv)
{
    struct name name = { .first = "Ada", .last = argc > 1 ? argv[1] : "Lovelace" };
    char *whole = join(&name);
    if (whole)
        puts(whole);
    free(whole);
    return whole == NULL;
}
