#include "npy.h"
#include "file.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are written as they lie in memory");

static const char MAGIC[] = "\x93NUMPY";
enum { VERSION_AT = 6, LENGTH_AT = 8 };

/* ---- Reading ---- */

/* Version 1 counts the header in two bytes, the later ones in four. */
static size_t length_bytes(const char *preamble) {
    return preamble[VERSION_AT] == 1 ? 2 : 4;
}

static bool known_version(const char *preamble) {
    return preamble[VERSION_AT] >= 1 && preamble[VERSION_AT] <= 3 && preamble[VERSION_AT + 1] == 0;
}

bool npy_header_size(const char preamble[NPY_PREAMBLE], size_t *size, const char *source, problem *why) {
    if (memcmp(preamble, MAGIC, VERSION_AT) != 0) return bad_input(why, "%s: not a .npy array", source);
    if (!known_version(preamble))
        return bad_input(why, "%s: .npy version %u.%u, expected 1.0, 2.0 or 3.0", source,
                         (unsigned char)preamble[VERSION_AT], (unsigned char)preamble[VERSION_AT + 1]);
    size_t count = length_bytes(preamble), length = 0;
    for (size_t i = 0; i < count; i++) length |= (size_t)(unsigned char)preamble[LENGTH_AT + i] << 8 * i;
    *size = LENGTH_AT + count + length;
    if (*size >= NPY_PREAMBLE && *size <= NPY_HEADER_LIMIT) return true;
    return bad_input(why, "%s: .npy header of %zu bytes, expected %d to %d", source, *size, NPY_PREAMBLE,
                     NPY_HEADER_LIMIT);
}

/* A strict parser of the one kind of dictionary there is: each function moves past what it expects, or
 * is false. */
typedef struct text {
    const char *next, *end;
} text;

static void skip_blanks(text *t) {
    while (t->next < t->end && (*t->next == ' ' || *t->next == '\n')) t->next++;
}

static bool take(text *t, const char *token) {
    skip_blanks(t);
    size_t length = strlen(token);
    if ((size_t)(t->end - t->next) < length || memcmp(t->next, token, length) != 0) return false;
    t->next += length;
    return true;
}

static bool take_string(text *t, char *out, size_t size) {
    const char *quote = take(t, "'") ? "'" : take(t, "\"") ? "\"" : NULL;
    const char *close = quote ? memchr(t->next, *quote, (size_t)(t->end - t->next)) : NULL;
    if (!close || (size_t)(close - t->next) >= size) return false;
    size_t length = (size_t)(close - t->next);
    memcpy(out, t->next, length);
    out[length] = 0;
    t->next = close + 1;
    return true;
}

static bool take_bool(text *t, bool *value) {
    *value = take(t, "True");
    return *value || take(t, "False");
}

static bool take_number(text *t, uint64_t *value) {
    skip_blanks(t);
    const char *start = t->next;
    *value = 0;
    for (; t->next < t->end && *t->next >= '0' && *t->next <= '9'; t->next++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*t->next - '0'), value))
            return false;
    return t->next > start;
}

/* (), (3,), (3, 4) or (3, 4,): the comma is missing only before the end, and not in a tuple of one. */
static bool take_shape(text *t, npy_header *h) {
    if (!take(t, "(")) return false;
    bool comma = true;
    for (h->dims = 0; !take(t, ")"); h->dims++) {
        if (!comma || h->dims == NPY_DIMS || !take_number(t, &h->shape[h->dims])) return false;
        comma = take(t, ",");
    }
    return h->dims != 1 || comma;
}

enum { HAS_TYPE = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

/* One "key: value"; which one it was, or 0. */
static int take_entry(text *t, npy_header *h) {
    char key[16];
    if (!take_string(t, key, sizeof key) || !take(t, ":")) return 0;
    if (!strcmp(key, "descr")) return take_string(t, h->type, sizeof h->type) ? HAS_TYPE : 0;
    if (!strcmp(key, "fortran_order")) return take_bool(t, &h->fortran_order) ? HAS_ORDER : 0;
    return !strcmp(key, "shape") && take_shape(t, h) ? HAS_SHAPE : 0;
}

static bool take_dictionary(text *t, npy_header *h) {
    int seen = 0;
    bool comma = true;
    if (!take(t, "{")) return false;
    while (!take(t, "}")) {
        int entry = comma ? take_entry(t, h) : 0;
        if (!entry || seen & entry) return false;
        seen |= entry;
        comma = take(t, ",");
    }
    skip_blanks(t);
    return seen == HAS_ALL && t->next == t->end;
}

bool npy_header_parse(npy_header *h, const char *bytes, size_t size, const char *source, problem *why) {
    *h = (npy_header){0};
    text t = {bytes + LENGTH_AT + length_bytes(bytes), bytes + size};
    if (take_dictionary(&t, h)) return true;
    return bad_input(
        why,
        "%s: bad .npy header, expected a dictionary with descr (one simple type), fortran_order and "
        "shape (at most %d dimensions)",
        source, NPY_DIMS);
}

/* ---- Checking ---- */

enum { SHAPE_TEXT = NPY_DIMS * 24 };

/* As Python writes a tuple: a single number has a comma after it. */
static const char *shape_text(char out[SHAPE_TEXT], int dims, const uint64_t *shape) {
    int used = sprintf(out, "(");
    for (int i = 0; i < dims; i++) used += sprintf(out + used, "%s%" PRIu64, i ? ", " : "", shape[i]);
    strcpy(out + used, dims == 1 ? ",)" : ")");
    return out;
}

bool npy_header_expect(const npy_header *h, const char *type, int dims, const uint64_t *shape,
                       const char *source, problem *why) {
    if (strcmp(h->type, type) != 0)
        return bad_input(why, "%s: element type '%s', expected '%s'", source, h->type, type);
    if (h->fortran_order) return bad_input(why, "%s: Fortran order, expected C order", source);
    if (h->dims == dims && !memcmp(h->shape, shape, (size_t)dims * sizeof *shape)) return true;
    char found[SHAPE_TEXT], expected[SHAPE_TEXT];
    return bad_input(why, "%s: shape %s, expected %s", source, shape_text(found, h->dims, h->shape),
                     shape_text(expected, dims, shape));
}

/* ---- Writing ---- */

const npy_element npy_float32 = {"<f4", sizeof(float), NULL};

/* As numpy writes it: blanks up to a multiple of 64 bytes, and two dimensions never need more than 128. */
enum { WRITTEN_HEADER = 128, DICTIONARY_AT = LENGTH_AT + 2, DICTIONARY = WRITTEN_HEADER - DICTIONARY_AT };

static void write_header(const npy_array *a, char out[WRITTEN_HEADER]) {
    char shape[SHAPE_TEXT], dictionary[SHAPE_TEXT + 64];
    const uint64_t sizes[] = {a->rows, a->cols};
    shape_text(shape, a->dims, a->dims == 1 ? sizes + 1 : sizes);
    int used = sprintf(dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", a->element->type,
                       shape);
    memcpy(out, MAGIC, VERSION_AT);
    memcpy(out + VERSION_AT, (const char[]){1, 0, DICTIONARY, 0}, DICTIONARY_AT - VERSION_AT);
    memset(out + DICTIONARY_AT, ' ', DICTIONARY);
    memcpy(out + DICTIONARY_AT, dictionary, (size_t)used);
    out[WRITTEN_HEADER - 1] = '\n';
}

uint64_t npy_size(const npy_array *a) {
    return WRITTEN_HEADER + (uint64_t)a->rows * a->cols * a->element->size;
}

enum { MADE = 512 }; /* elements made at a time */

/* The bytes from `offset` on that lie together, in memory or made in `room`; *count is how many. */
static const char *piece(const npy_array *a, uint64_t offset, char *room, size_t *count) {
    const npy_element *e = a->element;
    size_t row_bytes = a->cols * e->size;
    size_t row = (size_t)offset / row_bytes, in_row = (size_t)offset % row_bytes;
    if (!e->make) {
        *count = row_bytes - in_row;
        return (const char *)(a->data + row * a->stride) + in_row;
    }
    size_t col = in_row / e->size, left = a->cols - col, made = left < MADE ? left : MADE;
    e->make(a, row, col, made, room);
    *count = made * e->size - in_row % e->size;
    return room + in_row % e->size;
}

void npy_bytes(const void *array, uint64_t offset, void *out, size_t count) {
    const npy_array *a = array;
    char header[WRITTEN_HEADER], *next = out;
    _Alignas(float) char room[MADE * sizeof(float)];
    write_header(a, header);
    while (count > 0) {
        size_t length = WRITTEN_HEADER - (size_t)offset;
        const char *from =
            offset < WRITTEN_HEADER ? header + offset : piece(a, offset - WRITTEN_HEADER, room, &length);
        if (length > count) length = count;
        memcpy(next, from, length);
        next += length;
        offset += length;
        count -= length;
    }
}

static bool write_array(file *f, const npy_array *a, problem *why) {
    char buffer[1 << 16];
    uint64_t size = npy_size(a);
    for (uint64_t at = 0; at < size; at += sizeof buffer) {
        size_t count = size - at < sizeof buffer ? (size_t)(size - at) : sizeof buffer;
        npy_bytes(a, at, buffer, count);
        if (!file_write(f, buffer, count, why)) return false;
    }
    return true;
}

bool npy_write_file(const char *path, size_t rows, size_t cols, size_t stride, const float *data,
                    problem *why) {
    const npy_array a = {
        .element = &npy_float32, .dims = 2, .rows = rows, .cols = cols, .stride = stride, .data = data};
    replacement r;
    return replacement_open(&r, path, why) && replacement_finish(&r, write_array(&r.file, &a, why), why);
}
