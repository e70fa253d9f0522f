#include "faulty_forward.h"

/* common/transformer.c, compiled a second time with FORWARD_FAULTS. */
void transformer_forward_faulty(const transformer_call *call, member me);

void engine_forward_faulty(engine *e, int n, const sequence_rows *s, logit_rows wanted, float *logits,
                           forward_fault fault) {
    engine_forward_by(e, n, s, wanted, logits, transformer_forward_faulty, (int)fault);
}
