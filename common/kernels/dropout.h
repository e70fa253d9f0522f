/* Dropout masks, 64 elements at a time: philox.h on eight counters at once.
 *
 * Elements 64g .. 64g + 63 use counters 8g .. 8g + 7 of the stream, sixteen bits each. They are four
 * vectors of sixteen: lane l of vector v takes word 2 (v / 2) + l % 2 of counter 8g + l / 2, its low half
 * where v is even and its high half where v is odd. An element is kept when its sixteen bits are below
 * the limit, so 65536 keeps all. */
#ifndef DROPOUT_H
#define DROPOUT_H
#include "kernels.h"
#include "simd16.h"

typedef struct keep64 { /* sixteen random bits for each of 64 elements */
    w16 words[2];
} keep64;

/* philox() on the low halves of eight 64-bit numbers. */
INLINE void philox_d8(const uint32_t key[2], w16 c[4]) {
    const w16 m0 = set_d8(PHILOX_M0), m1 = set_d8(PHILOX_M1);
    uint32_t k0 = key[0], k1 = key[1];
    UNROLL
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        w16 p0 = product_d8(c[0], m0), p1 = product_d8(c[2], m1);
        c[0] = xor3_w16(high_d8(p1), c[1], set_d8(k0));
        c[2] = xor3_w16(high_d8(p0), c[3], set_d8(k1));
        c[1] = p1; /* the high half is noise that no product reads */
        c[3] = p0;
        k0 += PHILOX_W0;
        k1 += PHILOX_W1;
    }
}

/* The bits of elements first .. first + 63; `first` is a multiple of 64. */
INLINE keep64 keep_bits(const dropout *drop, uint64_t first) {
    static const uint32_t ordinal[16] = {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0};
    const random_stream *s = &drop->stream;
    w16 counter = add_d8(set_d8(first / 8), load_w16(ordinal));
    w16 c[4] = {counter, high_d8(counter), set_d8(s->high[0]), set_d8(s->high[1])};
    philox_d8(s->key, c);
    return (keep64){{pair_d8(c[0], c[1]), pair_d8(c[2], c[3])}};
}

/* Vector v < 4 of the 64, lane by lane: kept ? scale x : +0. */
INLINE v16 keep_scaled(const keep64 *keep, int v, const dropout *drop, v16 x) {
    w16 words = keep->words[v / 2], bits = v % 2 ? high_half_w16(words) : low_half_w16(words);
    return keep_below16(bits, set_w16(drop->limit), mul16(x, set16(drop->scale)));
}
#endif
