/* Softmax cross-entropy of rows of logits (PyTorch nn.CrossEntropyLoss) and its gradient in place. A row's
 * sum has sixteen lanes, logit i in lane i mod 16, joined in a fixed tree. */
#include "set.h"
#include "simd16.h"
#include "vector_math.h"
#include <math.h>

static float largest(int n, const float *x) {
    v16 top = set16(-INFINITY);
    for (int i = 0; i < n; i += 16) top = max16(top, first16(n - i, load16(x + i), set16(-INFINITY)));
    return max_of16(top);
}

/* Sum of exp(x - top); keep: x becomes the exponentials. */
static float sum_of_exponentials(int n, float *x, float top, bool keep) {
    v16 sum = set16(0), shift = set16(top);
    for (int i = 0; i < n; i += 16) {
        v16 e = first16(n - i, exp16(sub16(load16(x + i), shift)), set16(0));
        sum = add16(sum, e);
        if (keep) store16(x + i, e);
    }
    return sum16(sum);
}

void KERNEL(cross_entropy)(int rows, int n, float *logits, size_t stride, const int32_t *targets, float scale,
                           row_loss *losses) {
    for (int r = 0; r < rows; r++) {
        float *x = logits + (size_t)r * stride;
        float top = largest(n, x), gap = top - x[targets[r]];
        float sum = sum_of_exponentials(n, x, top, scale != 0);
        losses[r] = (row_loss){sum, gap};
        if (scale == 0) continue;
        v16 factor = set16(scale / sum);
        for (int i = 0; i < n; i += 16) store16(x + i, mul16(load16(x + i), factor));
        x[targets[r]] -= scale;
    }
}
