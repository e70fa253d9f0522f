/* sawtooth-infer convert: the same model with narrow weights, as a checkpoint. */
#include "command.h"
#include "file.h"
#include "loaded.h"
#include "narrow.h"
#include <string.h>

static const option options[] = {
    {"out", 'o', "FILE", "the .npz to write, with --weights f16 or int8"},
    {NULL, 0, NULL, NULL},
};

static bool write_converted(const loaded *l, const char *out, problem *why) {
    const checkpoint *c = &l->checkpoint;
    const checkpoint_view view = {.shape = &c->model.shape,
                                  .table = &c->model.table,
                                  .block = c->model.block,
                                  .tokenizer = &c->tokenizer,
                                  .train = &c->train,
                                  .type = c->model.type,
                                  .scales = c->model.scales};
    return checkpoint_write(out, &view, l->runtime.team, why);
}

static bool convert(loaded *l, const char *out, problem *why) {
    if (l->stored != WEIGHTS_F32)
        return bad_input(why, "%s: holds %s weights; converting needs float32", l->path,
                         weight_names[l->stored]);
    if (file_is_same(out, l->path))
        return bad_input(why, "--out %s: is the model itself, whose float32 weights would be lost", out);
    return loaded_convert(l, why) && write_converted(l, out, why);
}

static bool run(const arguments *a, problem *why) {
    loaded l;
    const char *out = arguments_value(a, "out"), *type = arguments_value(a, "weights");
    if (!out) return bad_input(why, "no --out: expected the .npz to write");
    if (!type) return bad_input(why, "no --weights: expected f16 or int8");
    if (!strcmp(type, weight_names[WEIGHTS_F32]))
        return bad_input(why, "--weights must be f16 or int8, not \"f32\": there is nothing to convert");
    if (!loaded_read(&l, a, why)) return false;
    bool ok = convert(&l, out, why);
    loaded_close(&l);
    return ok;
}

const command convert_command = {
    .name = "convert",
    .usage = "MODEL --weights f16|int8 --out F.npz",
    .summary = "Writes a checkpoint with narrow weights, for inference",
    .reads_only = true,
    .options = options,
    .run = run,
};
