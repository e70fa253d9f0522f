#include "checkpoint_tensor.h"
#include "checkpoint_members.h"
#include "kernels/half.h"
#include <inttypes.h>

static bool read_header(archive_entry *e, npy_header *h, size_t *size, problem *why) {
    char bytes[NPY_HEADER_LIMIT];
    return entry_read(e, bytes, NPY_PREAMBLE, why) && npy_header_size(bytes, size, e->source, why) &&
           entry_read(e, bytes + NPY_PREAMBLE, *size - NPY_PREAMBLE, why) &&
           npy_header_parse(h, bytes, *size, e->source, why);
}

bool tensor_open(archive_entry *e, archive *a, size_t index, const parameter *t, weight_type type,
                 problem *why) {
    const uint64_t sizes[] = {(uint64_t)t->rows, (uint64_t)t->cols};
    const npy_element *element = member_element(type);
    npy_header h;
    size_t header;
    if (!entry_open(e, a, index, why) || !read_header(e, &h, &header, why) ||
        !npy_header_expect(&h, element->type, t->dims, t->dims == 1 ? sizes + 1 : sizes, e->source, why))
        return false;
    uint64_t expected = header + sizes[0] * sizes[1] * element->size;
    return e->size == expected ||
           bad_input(why, "%s: %" PRIu64 " bytes, expected %" PRIu64, e->source, e->size, expected);
}

enum { AT_ONCE = 32 * SCALE_GROUP };

static bool read_halves(archive_entry *e, size_t n, float *to, problem *why) {
    uint16_t halves[AT_ONCE];
    if (!entry_read(e, halves, n * sizeof *halves, why)) return false;
    for (size_t i = 0; i < n; i++) to[i] = half_to_float(halves[i]);
    return true;
}

static bool read_bytes(archive_entry *e, size_t n, const float *scales, float *to, problem *why) {
    int8_t bytes[AT_ONCE];
    if (!entry_read(e, bytes, n, why)) return false;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] < -MOST_BYTE)
            return bad_input(why, "%s: holds %d, expected %d to %d", e->source, bytes[i], -MOST_BYTE,
                             MOST_BYTE);
        to[i] = (float)bytes[i] * scales[i / SCALE_GROUP];
    }
    return true;
}

static bool read_narrow(archive_entry *e, size_t cols, weight_type type, const float *scales, float *row,
                        problem *why) {
    for (size_t i = 0; i < cols; i += AT_ONCE) {
        size_t n = cols - i < AT_ONCE ? cols - i : AT_ONCE;
        if (type == WEIGHTS_F16 ? !read_halves(e, n, row + i, why)
                                : !read_bytes(e, n, scales + i / SCALE_GROUP, row + i, why))
            return false;
    }
    return true;
}

bool tensor_read(archive_entry *e, const parameter *t, weight_type type, const float *scales, float *block,
                 problem *why) {
    size_t cols = (size_t)t->cols;
    for (size_t r = 0; r < (size_t)t->rows; r++) {
        float *row = block + t->offset + r * t->stride;
        const float *own = scales ? scales + t->scale_offset + r * (size_t)groups_of(t->cols) : NULL;
        if (type == WEIGHTS_F32 ? !entry_read(e, row, cols * sizeof *row, why)
                                : !read_narrow(e, cols, type, own, row, why))
            return false;
    }
    return entry_finish(e, why);
}
