/* A driver of fuzz bodies for many executions, without coverage counters and without a growing
 * corpus. Input number N depends only on N and the files of the folders, so each input can be made
 * again.
 *
 *     PROGRAM FILE                                          runs the body with that file
 *     PROGRAM FROM COUNT SECONDS LONGEST FAILED FOLDER...   runs inputs FROM to FROM + COUNT - 1,
 * for
 *                                                           at most SECONDS; LONGEST bytes each
 *
 * An input that fails, or takes WAIT_S, is written to the file FAILED-N. The memory after the bytes
 * of an input is protected against access. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/array.h"
#include "tests/fuzz/dice.h"
#include "tests/fuzz/mutator.h"

enum {
    WAIT_S = 60,         /* chosen: for the longest input, on a busy machine */
    CHANGES_MAX = 4,     /* chosen: by the program's mutator */
    BRANCHES = 8,        /* chosen: number of inputs that share a stem */
    PIECE_MAX = 64,      /* chosen: bytes that are inserted, removed or copied at once */
    SLICE_MAX = 1 << 20, /* bytes of the longest input */
};
/* Chosen: stops a leak long before it affects the machine. */
static const rlim_t MEMORY_MAX = (rlim_t)4 << 30;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Some programs have no mutator. */
#pragma weak LLVMFuzzerCustomMutator

/* In the tree `flood-asan`: an error found by a sanitizer ends the program by a signal. Most inputs
 * use megabytes, so little memory is kept after it was freed, and its shadow is filled instead of
 * mapped: this makes fuzz_trace 1/3 faster. */
const char *__asan_default_options(void); // NOLINT(bugprone-reserved-identifier): its name
const char *__asan_default_options(void)  // NOLINT(bugprone-reserved-identifier)
{
    return "abort_on_error=1:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:quarantine_size_mb=1:"
           "thread_local_quarantine_size_kb=64:clear_shadow_mmap_threshold=1073741824:"
           "allocator_release_to_os_interval_ms=-1";
}
extern void __asan_init(void) __attribute__((weak)); // NOLINT(bugprone-reserved-identifier)

struct input {
    uint8_t *bytes;
    size_t size;
};

static struct flood {
    struct input *inputs;
    size_t count, longest;
    struct dice dice; /* of LLVMFuzzerMutate */
    uint8_t *end;     /* end of the input's memory */
    struct input now; /* the present input */
    volatile uint64_t number;
    const char *failed;
    volatile sig_atomic_t seconds, is_over;
} flood;

static void fail(const char *what)
{
    perror(what);
    exit(3);
}

/* ---- Memory and files ---- */

/* Memory of SIZE bytes followed by at least one protected page. Returns its end. */
static uint8_t *guarded(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    uint8_t *bytes =
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED || mprotect(bytes + whole, page, PROT_NONE) != 0)
        fail("memory");
    return bytes + whole;
}

static void read_input(const char *path, size_t size)
{
    enum { ROOM = 1024 };
    FILE *file = fopen(path, "rb");
    struct input one = {malloc(size + 1), size};
    if (flood.count % ROOM == 0)
        flood.inputs = realloc(flood.inputs, (flood.count + ROOM) * sizeof *flood.inputs);
    if (!file || !one.bytes || !flood.inputs || fread(one.bytes, 1, size, file) != size)
        fail(path);
    fclose(file);
    flood.inputs[flood.count++] = one;
}

static void read_path(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        fail(path);
    if (S_ISREG(info.st_mode) && info.st_size <= SLICE_MAX)
        read_input(path, (size_t)info.st_size);
}

/* Sorted by name, so that numbers always mean the same input. */
static void read_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0)
        fail(folder);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        read_path(path);
        free(entries[i]);
    }
    free(entries);
}

/* ---- Changes ---- */

static size_t place(size_t size)
{
    assert(size > 0);
    return (size_t)roll(&flood.dice, size);
}

static size_t remove_piece(uint8_t *data, size_t size)
{
    size_t at = place(size), left = size - at;
    size_t piece = 1 + place(left < PIECE_MAX ? left : PIECE_MAX);
    memmove(data + at, data + at + piece, left - piece);
    return size - piece;
}

/* Inserts bytes, or overwrites others. */
static size_t put(uint8_t *data, size_t size, size_t max, const uint8_t *bytes, size_t piece)
{
    size_t at = place(size + 1);
    if (roll(&flood.dice, 2) && piece <= size - at) {
        memmove(data + at, bytes, piece);
        return size;
    }
    if (piece > max - size)
        return size;
    uint8_t kept[PIECE_MAX];
    memcpy(kept, bytes, piece); // it may be a part of DATA
    memmove(data + at + piece, data + at, size - at);
    memcpy(data + at, kept, piece);
    return size + piece;
}

static size_t put_piece_of(const struct input *from, uint8_t *data, size_t size, size_t max)
{
    if (from->size == 0)
        return size;
    size_t at = place(from->size), left = from->size - at;
    return put(data, size, max, from->bytes + at, 1 + place(left < PIECE_MAX ? left : PIECE_MAX));
}

static size_t put_new(uint8_t *data, size_t size, size_t max)
{
    uint8_t made[PIECE_MAX];
    size_t piece = 1 + place(roll(&flood.dice, 4) ? 4 : PIECE_MAX);
    memset(made, (int)roll(&flood.dice, 256), piece);
    return put(data, size, max, made, piece);
}

/* Changes a number of 1, 2, 4 or 8 bytes, of either byte order: a little more or less, or an edge
 * value. */
static void count_up(uint8_t *data, size_t size)
{
    size_t width = (size_t)1 << place(4), at = place(size);
    if (width > size - at)
        width = 1;
    assert(width > 0 && width <= 8);
    bool is_big = roll(&flood.dice, 2);
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | data[at + (is_big ? i : width - 1 - i)];
    const uint64_t values[] = {value + 1 + roll(&flood.dice, 16),
                               value - 1 - roll(&flood.dice, 16),
                               0,
                               UINT64_MAX,
                               UINT64_C(1) << (8 * width - 1),
                               (UINT64_C(1) << (8 * width - 1)) - 1,
                               roll(&flood.dice, 256),
                               size};
    value = values[place(COUNT(values))];
    for (size_t i = 0; i < width; i++, value >>= 8)
        data[at + (is_big ? width - 1 - i : i)] = (uint8_t)value;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
    enum { BIT, BYTE, NUMBER, DIGIT, REMOVE, NEW, COPY, SPLICE, KINDS };
    size_t at = size > 0 ? place(size) : 0;
    switch (size > 0 ? roll(&flood.dice, KINDS) : (uint64_t)NEW) {
    case BIT:
        data[at] ^= (uint8_t)(1U << roll(&flood.dice, 8));
        return size;
    case BYTE:
        data[at] = (uint8_t)roll(&flood.dice, 256);
        return size;
    case NUMBER:
        count_up(data, size);
        return size;
    case DIGIT:
        for (size_t i = 0; i < size; i++, at = at + 1 < size ? at + 1 : 0)
            if (data[at] >= '0' && data[at] <= '9') {
                data[at] = (uint8_t)('0' + roll(&flood.dice, 10));
                break;
            }
        return size;
    case REMOVE:
        return remove_piece(data, size);
    case COPY:
        return put_piece_of(&(struct input){data, size}, data, size, max);
    case SPLICE:
        return put_piece_of(&flood.inputs[place(flood.count)], data, size, max);
    default:
        return put_new(data, size, max);
    }
}

/* Changes one of the inputs with the program's mutator. */
static size_t make_stem(uint64_t number, uint8_t *data)
{
    flood.dice = (struct dice){.seed = rng_u64(number, 0)};
    const struct input *from = &flood.inputs[place(flood.count)];
    size_t size = from->size < flood.longest ? from->size : flood.longest;
    memcpy(data, from->bytes, size);
    for (uint64_t left = 1 + roll(&flood.dice, CHANGES_MAX); left > 0; left--) {
        unsigned seed = (unsigned)roll(&flood.dice, (uint64_t)UINT32_MAX + 1);
        size = LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(data, size, flood.longest, seed)
                                       : LLVMFuzzerMutate(data, size, flood.longest);
    }
    return size;
}

/* Makes input NUMBER in DATA. BRANCHES consecutive numbers share one stem, since making a frame
 * from tables takes as long as parsing it: the first input is the stem, the others have one
 * additional simple change. Returns its size. */
static size_t make(uint64_t number, uint8_t *data)
{
    static struct input stem;
    static uint64_t stem_number;
    if (!stem.bytes || stem_number != number / BRANCHES) {
        if (!stem.bytes)
            stem.bytes = guarded(flood.longest) - flood.longest;
        stem_number = number / BRANCHES;
        stem.size = make_stem(stem_number, stem.bytes);
    }
    memcpy(data, stem.bytes, stem.size);
    flood.dice = (struct dice){.seed = rng_u64(number, 1)};
    return number % BRANCHES == 0 ? stem.size : LLVMFuzzerMutate(data, stem.size, flood.longest);
}

/* ---- Failures ---- */

static void keep(void)
{
    char path[4096];
    if (!flood.failed) // an input that is already a file
        return;
    int length = snprintf(path, sizeof path - 1, "%s-%" PRIu64, flood.failed, flood.number);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, flood.now.bytes, flood.now.size) < 0)
        return;
    close(fd);
    path[length] = '\n';
    if (write(STDERR_FILENO, path, (size_t)length + 1) < 0)
        return;
}

/* Restores the default action of the signal, so that it ends the program. */
static void on_failure(int number)
{
    (void)number;
    keep();
}

static void on_second(int number)
{
    static uint64_t last;
    static int waited;
    (void)number;
    flood.seconds++;
    waited = last == flood.number ? waited + 1 : 0;
    last = flood.number;
    if (waited >= WAIT_S)
        abort();
}

static void on_end(int number)
{
    (void)number;
    flood.is_over = 1;
}

static void watch(void)
{
    static const int failures[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    enum { STACK = 1 << 16 };
    static uint8_t own[STACK]; // for use when the usual stack is full
    const stack_t stack = {.ss_sp = own, .ss_size = sizeof own};
    const struct rlimit memory = {MEMORY_MAX, MEMORY_MAX};
    const struct itimerval second = {{1, 0}, {1, 0}};
    struct sigaction action = {.sa_handler = on_failure,
                               .sa_flags = (int)SA_RESETHAND | SA_ONSTACK};
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < COUNT(failures); i++)
        sigaction(failures[i], &action, NULL);
    action = (struct sigaction){.sa_handler = on_second, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = on_end;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    // A sanitizer needs the whole address space.
    if (setitimer(ITIMER_REAL, &second, NULL) != 0 ||
        (!__asan_init && setrlimit(RLIMIT_AS, &memory) != 0))
        fail("limits");
}

/* ---- The run ---- */

static void give(const uint8_t *bytes, size_t size)
{
    flood.now = (struct input){flood.end - size, size};
    memcpy(flood.now.bytes, bytes, size);
    LLVMFuzzerTestOneInput(flood.now.bytes, size);
}

static int run(uint64_t from, uint64_t count, long seconds)
{
    uint8_t *data = guarded(flood.longest) - flood.longest;
    for (flood.number = from; flood.number - from < count; flood.number++) {
        if (flood.is_over || flood.seconds >= seconds)
            break;
        flood.now = (struct input){0};
        give(data, make(flood.number, data));
    }
    printf("executions %" PRIu64 "\n", flood.number - from);
    return 0;
}

int main(int argc, char **argv)
{
    enum { FROM = 1, COUNT_OF, SECONDS, LONGEST, FAILED, FOLDERS };
    // Large blocks come from the heap, too: mapping them again takes longer than most bodies.
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    if (argc == 2) {
        read_path(argv[1]);
        flood.end = guarded(SLICE_MAX);
        if (flood.count == 1)
            give(flood.inputs[0].bytes, flood.inputs[0].size);
        return flood.count == 1 ? 0 : 3;
    }
    if (argc <= FOLDERS) {
        fprintf(stderr, "usage: %s FILE | FROM COUNT SECONDS LONGEST FAILED FOLDER...\n", argv[0]);
        return 2;
    }
    for (int i = FOLDERS; i < argc; i++)
        read_folder(argv[i]);
    flood.longest = strtoul(argv[LONGEST], NULL, 10);
    flood.failed = argv[FAILED];
    if (flood.count == 0 || flood.longest == 0 || flood.longest > SLICE_MAX) {
        fprintf(stderr, "%s: no inputs, or LONGEST is not 1 to %d\n", argv[0], SLICE_MAX);
        return 2;
    }
    flood.end = guarded(flood.longest);
    watch();
    return run(strtoull(argv[FROM], NULL, 10), strtoull(argv[COUNT_OF], NULL, 10),
               strtol(argv[SECONDS], NULL, 10));
}
