/* Dropout masks of 64 elements: philox.h on eight counters at once.
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

/* Masks made together. Each is one long chain of products: a second one fills the gaps, where there are
 * registers for both. */
enum { TOGETHER = SIMD16_WIDE == 2 ? 2 : 1 };

/* The eight counters of a mask, on the low halves of 64-bit numbers; what is in the high halves is noise. */
typedef struct counters {
    w16 c[4];
} counters;

/* philox() on each. */
INLINE void philox_d8(const uint32_t key[2], counters x[TOGETHER]) {
    const w16 m0 = set_d8(PHILOX_M0), m1 = set_d8(PHILOX_M1);
    uint32_t k0 = key[0], k1 = key[1];
    UNROLL
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        for (int i = 0; i < TOGETHER; i++) {
            const w16 *c = x[i].c;
            w16 p0 = product_d8(c[0], m0), p1 = product_d8(c[2], m1);
            x[i] = (counters){
                {xor3_w16(high_d8(p1), c[1], set_d8(k0)), p1, xor3_w16(high_d8(p0), c[3], set_d8(k1)), p0}};
        }
        k0 += PHILOX_W0;
        k1 += PHILOX_W1;
    }
}

/* The bits of elements first .. first + 64 TOGETHER - 1; `first` is a multiple of 64. */
INLINE void keep_bits(const dropout *drop, uint64_t first, keep64 keep[TOGETHER]) {
    static const uint32_t ordinal[16] = {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0};
    const random_stream *s = &drop->stream;
    counters x[TOGETHER];
    for (int i = 0; i < TOGETHER; i++) {
        w16 counter = add_d8(set_d8(first / 8 + 8 * (uint64_t)i), load_w16(ordinal));
        x[i] = (counters){{counter, high_d8(counter), set_d8(s->high[0]), set_d8(s->high[1])}};
    }
    philox_d8(s->key, x);
    for (int i = 0; i < TOGETHER; i++)
        keep[i] = (keep64){{pair_d8(x[i].c[0], x[i].c[1]), pair_d8(x[i].c[2], x[i].c[3])}};
}

/* The masks of a row whose first element has the index `first`, from left to right. */
typedef struct row_masks {
    const dropout *drop; /* NULL: none */
    uint64_t first;
    keep64 made[TOGETHER];
} row_masks;

/* The one of the row's elements j .. j + 63, where j is 0 or 64 more than the last time. */
INLINE const keep64 *next_mask(row_masks *m, size_t j) {
    if (m->drop && j % (64 * TOGETHER) == 0) keep_bits(m->drop, m->first + j, m->made);
    return &m->made[j / 64 % TOGETHER];
}

/* Vector v < 4 of the 64, lane by lane: kept ? scale x : +0. */
INLINE v16 keep_scaled(const keep64 *keep, int v, const dropout *drop, v16 x) {
    w16 words = keep->words[v / 2], bits = v % 2 ? high_half_w16(words) : low_half_w16(words);
    return keep_below16(bits, set_w16(drop->limit), mul16(x, set16(drop->scale)));
}
#endif
