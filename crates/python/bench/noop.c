// A Polars plugin that returns its input. It measures what the call of a plugin costs without any work.
#include <stddef.h>
#include <stdint.h>

struct series {
    void *field;
    void **arrays;
    size_t len;
    void (*release)(struct series *);
    void *private_data;
};

struct schema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct schema **children, *dictionary;
    void (*release)(struct schema *);
    void *private_data;
};

uint32_t _polars_plugin_get_version(void) { return 1; }

const char *_polars_plugin_get_last_error_message(void) { return ""; }

void _polars_plugin_noop(struct series *inputs, size_t len, const char *kwargs, size_t kwargs_len, struct series *out, void *context) {
    (void)len, (void)kwargs, (void)kwargs_len, (void)context;
    *out = *inputs;
}

static void release(struct schema *schema) { schema->release = NULL; }

// The result is text. The schema below is static, so `release` has no memory to free.
void _polars_plugin_field_noop(const struct schema *fields, size_t len, struct schema *out, const char *kwargs, size_t kwargs_len) {
    (void)fields, (void)len, (void)kwargs, (void)kwargs_len;
    static char private_data;
    *out = (struct schema){"vu", "url", NULL, 2, 0, NULL, NULL, release, &private_data};
}
