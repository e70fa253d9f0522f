/* sawtooth-infer logits: the logits of every position of a prompt, as a .npy. */
#include "command.h"
#include "loaded.h"
#include "memory.h"
#include "npy.h"
#include "prompt.h"
#include "sampler.h"

static const option options[] = {
    {"prompt", 'p', "TEXT", "the text (default: a new line)"},
    {"prompt-file", 0, "FILE", "the same from a file (-: standard input)"},
    {"tokens", 0, "IDS", "the same as token ids: 1,2,3"},
    {"out", 'o', "FILE", "the .npy to write: float32, a row for each token, a column for each id"},
    {NULL, 0, NULL, NULL},
};

static bool all_finite(const model *m, size_t count, const float *logits, problem *why) {
    for (size_t i = 0; i < count; i++, logits += padded(m->shape.vocab_size)) {
        int bad = logits_not_finite(logits, m->shape.vocab_size);
        if (bad >= 0)
            return run_failed(why, "token %zu: the logit of id %d is %g, not a finite number%s", i, bad,
                              (double)logits[bad], cache_limit(m->cache_type));
    }
    return true;
}

static bool write_logits(const loaded *l, const prompt *p, const char *out, problem *why) {
    const shape *s = &l->checkpoint.model.shape;
    size_t stride = (size_t)padded(s->vocab_size);
    engine e = {.model = NULL};
    kv_cache cache = {.keys = NULL};
    float *logits = allocate(p->count * stride, sizeof *logits, "logits", why);
    bool ok = logits && cache_open(&cache, s, l->checkpoint.model.cache_type, s->n_layer, why) &&
              loaded_engine(l, (int)p->count, &e, why);
    if (ok) {
        engine_forward(&e, 1, &(sequence_rows){p->tokens, (int)p->count, 0, &cache}, ALL_ROWS, logits);
        ok = all_finite(&l->checkpoint.model, p->count, logits, why) &&
             npy_write_file(out, p->count, (size_t)s->vocab_size, stride, logits, why);
    }
    engine_close(&e);
    cache_close(&cache);
    release(logits);
    return ok;
}

static bool fits(const prompt *p, int block_size, problem *why) {
    return p->count <= (size_t)block_size ||
           bad_input(why, "the prompt has %zu tokens; the model's context holds %d", p->count, block_size);
}

static bool run(const arguments *a, problem *why) {
    loaded l;
    prompt p;
    const char *out = arguments_value(a, "out");
    if (!out) return bad_input(why, "no --out: expected the .npy to write");
    if (!loaded_open(&l, a, why)) return false;
    bool ok = prompt_open(&p, a, &l.checkpoint.tokenizer, why);
    if (ok) {
        ok = fits(&p, l.checkpoint.model.shape.block_size, why) && write_logits(&l, &p, out, why);
        prompt_close(&p);
    }
    loaded_close(&l);
    return ok;
}

const command logits_command = {
    .name = "logits",
    .usage = "MODEL (--prompt TEXT | --prompt-file FILE | --tokens IDS) --out F.npy",
    .summary = "Writes the logits of every position of a prompt to a .npy",
    .options = options,
    .run = run,
};
