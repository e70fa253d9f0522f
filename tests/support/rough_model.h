/* A model whose every tensor, biases and layer norms too, holds random numbers large enough to matter. */
#ifndef ROUGH_MODEL_H
#define ROUGH_MODEL_H
#include "model.h"

/* Normal numbers with standard deviation `size`, around 1 for the layer norms' weights;
 * packed. Close with model_close. */
void rough_model(model *m, const shape *s, double size);

/* `count` random tokens; free(). Another `purpose` gives others. */
int32_t *random_tokens(int vocab_size, size_t count, uint64_t purpose);
#endif
