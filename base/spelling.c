/* How near two words are in spelling. Knows bytes only: words of the program are ASCII. */
#include "base/spelling.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    SPELLING_MAX = 48,       /* longer words are not compared; chosen */
    SPELLING_BEGINNING = 50, /* above every true distance: a typing error wins over a beginning */
};

static char spelling_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool spelling_same(char a, char b)
{
    return spelling_lower(a) == spelling_lower(b);
}

static int spelling_min(int a, int b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance: inserts, deletes, changes and swaps of neighbors each cost 1.
 * F. J. Damerau: "A technique for computer detection and correction of spelling errors", 1964. */
static int spelling_edits(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int rows[3][SPELLING_MAX + 1];
    for (size_t j = 0; j <= b_size; j++) {
        rows[0][j] = (int)j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        int *now = rows[i % 3];
        const int *above = rows[(i + 2) % 3];
        const int *two_above = rows[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= b_size; j++) {
            int change = above[j - 1] + !spelling_same(a[i - 1], b[j - 1]);
            now[j] = spelling_min(change, spelling_min(above[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && spelling_same(a[i - 1], b[j - 2]) &&
                spelling_same(a[i - 2], b[j - 1])) {
                now[j] = spelling_min(now[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[a_size % 3][b_size];
}

static bool spelling_begins(const char *word, const char *candidate)
{
    /* `v1` begins `1.0.0`: versions are often written with a letter in front. */
    if (spelling_lower(word[0]) == 'v' && candidate[0] >= '0' && candidate[0] <= '9') {
        word++;
    }
    size_t i = 0;
    while (word[i] && spelling_same(word[i], candidate[i])) {
        i++;
    }
    return i > 0 && word[i] == '\0';
}

int spelling_distance(const char *word, const char *candidate)
{
    size_t word_size = strlen(word);
    size_t size = strlen(candidate);
    if (word_size > SPELLING_MAX || size > SPELLING_MAX) {
        return SPELLING_FAR;
    }
    int edits = spelling_edits(word, word_size, candidate, size);

    /* One error for every three letters may be a slip; a word without a letter in common is none.
     */
    int longest = (int)(word_size > size ? word_size : size);
    int shortest = (int)(word_size < size ? word_size : size);
    int allowed = longest < 6 ? (longest + 1) / 3 : longest / 3;
    if (edits <= allowed && edits < shortest) {
        return edits;
    }
    return edits == 0 ? 0 : spelling_begins(word, candidate) ? SPELLING_BEGINNING : SPELLING_FAR;
}
