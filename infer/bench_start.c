/* Bench: from a checkpoint to its first token. */
#include "bench_figures.h"
#include "clock.h"
#include "generate.h"

static bool first_token(const loaded *l, problem *why) {
    static const int32_t prompt[] = {0};
    const generation g = {.prompt = prompt,
                          .prompt_count = 1,
                          .new_tokens = 1,
                          .samples = 1,
                          .keep = 1,
                          .use_cache = true,
                          .sampling = {.temperature = 0, .top_p = 1}};
    engine e;
    if (!loaded_engine(l, generation_rows(&l->checkpoint.model.shape, &g), &e, why)) return false;
    int32_t token;
    bool ok = generate(&e, &g, &token, NULL, why);
    engine_close(&e);
    return ok;
}

bool start_measure(const arguments *a, series *seconds, problem *why) {
    loaded l;
    double began = clock_seconds();
    if (!loaded_open(&l, a, why)) return false;
    bool ok = first_token(&l, why);
    if (ok) series_add(seconds, clock_seconds() - began);
    loaded_close(&l);
    return ok;
}
