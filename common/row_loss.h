/* The loss of one row, from what a kernel has summed. */
#ifndef ROW_LOSS_H
#define ROW_LOSS_H
#include "kernels/kernels.h"
#include "scalar_math.h"

/* logsumexp(logits) - logits[target], in nats. */
static inline double cross_entropy_of(row_loss loss) {
    return exact_log((double)loss.sum) + (double)loss.gap;
}
#endif
