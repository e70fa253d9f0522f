#ifndef LEAST_H
#define LEAST_H
static inline int least(int a, int b) {
    return a < b ? a : b;
}
#endif
