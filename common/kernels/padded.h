/* Rows of floats are padded to whole vectors. */
#ifndef PADDED_H
#define PADDED_H

/* n rounded up to sixteen lanes. */
static inline int padded(int n) {
    return (n + 15) / 16 * 16;
}
#endif
