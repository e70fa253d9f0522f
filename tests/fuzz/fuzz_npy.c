/* The header of a .npy: what it declares is what is expected of it. */
#include "input.h"
#include "npy.h"
#include <stdlib.h>
#include <string.h>

static void check_header(const npy_header *h) {
    problem why;
    must(h->dims >= 0 && h->dims <= NPY_DIMS, "too many dimensions");
    must(memchr(h->type, 0, sizeof h->type), "a type without an end");
    bool as_expected = npy_header_expect(h, h->type, h->dims, h->shape, "a.npy", &why);
    must(as_expected != h->fortran_order, "the header is not what it is");
    if (!as_expected) must_refuse(&why);
    must(!npy_header_expect(h, "", h->dims, h->shape, "a.npy", &why) || !*h->type, "any type will do");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t length;
    npy_header h;
    problem why;
    if (size < NPY_PREAMBLE) return 0;
    char *bytes = input_text(data, size);
    if (!npy_header_size(bytes, &length, "a.npy", &why))
        must_refuse(&why);
    else if (length <= size) {
        if (npy_header_parse(&h, bytes, length, "a.npy", &why))
            check_header(&h);
        else
            must_refuse(&why);
    }
    free(bytes);
    return 0;
}
