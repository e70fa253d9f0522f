/* sawtooth-infer eval: the exact loss on a text. */
#include "command.h"
#include "evaluate.h"
#include "loaded.h"
#include "text.h"
#include <math.h>
#include <stdio.h>

static const option options[] = {
    {"text", 0, "FILE", "the text (or token file, .bin)"},
    {"split", 0, "PART",
     "val: its last tenth, or as trained (default); train; all (default if val_data was given)"},
    {NULL, 0, NULL, NULL},
};

static bool evaluate(const loaded *l, const text *t, double *loss, problem *why) {
    engine e;
    if (!loaded_engine(l, evaluation_rows(&l->checkpoint.model.shape), &e, why)) return false;
    bool ok = evaluate_exact(&e, t->tokens, t->count, NULL, NULL, loss, why);
    if (ok && !isfinite(*loss))
        ok =
            run_failed(why, "the loss is %g, not a finite number%s", *loss, cache_limit(e.model->cache_type));
    engine_close(&e);
    return ok;
}

static void print_loss(double loss, size_t tokens, text_split split, bool characters) {
    printf("split = %s\ntokens = %zu\nloss = %.9g\nperplexity = %.6g\n", text_splits[split], tokens, loss,
           exp(loss));
    printf("bits_per_%s = %.6g\n", characters ? "character" : "token", loss / log(2));
}

static bool run(const arguments *a, problem *why) {
    const char *path = arguments_value(a, "text");
    text_split split;
    loaded l;
    text t;
    if (!path) return bad_input(why, "no --text: expected the text to evaluate");
    if (!loaded_open(&l, a, why)) return false;
    bool ok =
        text_split_of(a, &l.checkpoint, &split, why) && text_open(&t, path, split, &l.checkpoint, 2, why);
    double loss = 0;
    if (ok) {
        ok = evaluate(&l, &t, &loss, why);
        if (ok) print_loss(loss, t.count, split, l.checkpoint.tokenizer.chars);
        text_close(&t);
    }
    loaded_close(&l);
    return ok;
}

const command eval_command = {
    .name = "eval",
    .usage = "MODEL --text FILE [--split val|train|all]",
    .summary = "Prints the exact loss on a text, perplexity and bits per character",
    .options = options,
    .run = run,
};
