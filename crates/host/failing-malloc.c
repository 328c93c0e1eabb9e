/* An allocator for tests. It refuses chosen requests. Load it with LD_PRELOAD=failing-malloc.so, then call these
 * functions by ctypes or dlsym:
 *
 *     fail_in(LIBRARY)    from now on, consider only requests from the library whose file name contains LIBRARY (default: all)
 *     fail_from(N, SIZE)  among requests of at least SIZE bytes, refuse number N (counted from 0) and all later ones
 *     fail_once(N, SIZE)  among requests of at least SIZE bytes, refuse only number N
 *     fail_never()        stop refusing; returns the number of refused requests
 *
 * Build: cc -O1 -shared -fPIC -o failing-malloc.so failing-malloc.c. It works only in tests with one thread. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stddef.h>
#include <string.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

static char *first_byte, *last_byte; /* the library's code */
static long number = -1, least, seen, refused;
static int once;

static int look_at(struct dl_phdr_info *library, size_t size, void *name)
{
    (void)size;
    if (!strstr(library->dlpi_name, name))
        return 0;
    for (int i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_LOAD && library->dlpi_phdr[i].p_flags & PF_X) {
            first_byte = (char *)library->dlpi_addr + library->dlpi_phdr[i].p_vaddr;
            last_byte = first_byte + library->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

int fail_in(const char *name) { return dl_iterate_phdr(look_at, (void *)name); }
static void start(long first, long size, int alone) { least = size; seen = refused = 0; once = alone; number = first; }
void fail_from(long first, long size) { start(first, size, 0); }
void fail_once(long first, long size) { start(first, size, 1); }
long fail_never(void) { number = -1; return refused; }

static int refuses(size_t size, char *caller)
{
    if (number < 0 || size < (size_t)least || (first_byte && (caller < first_byte || caller > last_byte)))
        return 0;
    long mine = seen++;
    if (once ? mine != number : mine < number)
        return 0;
    refused++;
    errno = ENOMEM;
    return 1;
}

#define CALLER __builtin_return_address(0)
void *malloc(size_t size) { return refuses(size, CALLER) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return refuses(count * size, CALLER) ? NULL : __libc_calloc(count, size); }
void *realloc(void *block, size_t size)
{
    int shrinks = block && size <= malloc_usable_size(block); /* never refuse to make a block smaller */
    return !shrinks && refuses(size, CALLER) ? NULL : __libc_realloc(block, size);
}
void *memalign(size_t align, size_t size) { return refuses(size, CALLER) ? NULL : __libc_memalign(align, size); }
void *aligned_alloc(size_t align, size_t size) { return refuses(size, CALLER) ? NULL : __libc_memalign(align, size); }
int posix_memalign(void **block, size_t align, size_t size)
{
    if (refuses(size, CALLER))
        return ENOMEM;
    *block = __libc_memalign(align, size);
    return *block ? 0 : ENOMEM;
}
