#ifndef LEAST_H
#define LEAST_H
/* The smaller of two counts: for last pieces that may be short. */
static inline int least(int a, int b) {
    return a < b ? a : b;
}
#endif
