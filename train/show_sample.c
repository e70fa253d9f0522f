#include "show_sample.h"
#include "signals.h"
#include <stdio.h>

static bool print_token(void *context, int sample, int32_t token) {
    (void)sample;
    char text[16];
    size_t size = tokenizer_text(context, token, text);
    (void)fwrite(text, 1, size, stderr);
    return !signals_received();
}

bool show_sample(engine *e, const tokenizer *t, const settings *s, problem *why) {
    int32_t prompt = tokenizer_first(t);
    tokenizer names = *t; /* emit's context is not const */
    generation g = {.prompt = &prompt,
                    .prompt_count = 1,
                    .new_tokens = (size_t)s->sample_tokens,
                    .samples = 1,
                    .keep = default_keep(&e->model->shape),
                    .use_cache = true,
                    .sampling = {.temperature = 1, .top_p = 1, .seed = s->seed},
                    .emit = print_token,
                    .context = &names};
    bool done = generate(e, &g, NULL, NULL, why);
    (void)fputc('\n', stderr);
    return done;
}
