#include "engine.h"
#include "memory.h"
#include "row_loss.h"
#include <string.h>

typedef struct engine_memory {
    activations acts;
    float **scratch; /* one for each member */
    float *picked;   /* (max_rows, C): the rows whose logits are wanted, side by side */
    float *logits;   /* (loss_rows, V) */
    row_loss *losses;
    int loss_rows;
} engine_memory;

enum {
    LOSS_FLOATS = 1 << 21, /* logits that are made and used together */
    STEP_FLOATS = 1 << 15, /* weights that are read together */
};

static int loss_rows_of(const shape *s, int max_rows) {
    int rows = LOSS_FLOATS / padded(s->vocab_size);
    rows = rows < 16 ? 16 : rows;
    return rows < max_rows ? rows : max_rows;
}

static bool open_scratch(engine_memory *w, const shape *s, int members, problem *why) {
    size_t floats = attention_scratch(s->block_size, head_size(s));
    w->scratch = allocate((size_t)members, sizeof *w->scratch, "scratch", why);
    if (!w->scratch) return false;
    for (int i = 0; i < members; i++)
        if (!(w->scratch[i] = allocate(floats, sizeof(float), "attention scratch", why))) return false;
    return true;
}

bool engine_open(engine *e, const model *m, const kernels *k, team *t, int max_rows, problem *why) {
    const shape *s = &m->shape;
    *e = (engine){.model = m, .kernels = k, .team = t, .max_rows = max_rows};
    engine_memory *w = e->memory = allocate(1, sizeof *w, "the engine", why);
    if (!w) return false;
    w->loss_rows = loss_rows_of(s, max_rows);
    size_t logits = (size_t)w->loss_rows * (size_t)padded(s->vocab_size);
    bool ok = kernels_ready(k, team_size(t), why) && activations_open(&w->acts, s, max_rows, false, why) &&
              open_scratch(w, s, team_size(t), why) &&
              (w->picked = allocate((size_t)max_rows * (size_t)padded(s->n_embd), sizeof(float),
                                    "picked rows", why)) &&
              (w->logits = allocate(logits, sizeof(float), "logits", why)) &&
              (w->losses = allocate((size_t)w->loss_rows, sizeof *w->losses, "losses", why));
    if (!ok) engine_close(e);
    return ok;
}

void engine_close(engine *e) {
    engine_memory *w = e->memory;
    if (!w) return;
    for (int i = 0; w->scratch && i < team_size(e->team); i++) release(w->scratch[i]);
    activations_close(&w->acts);
    release(w->scratch);
    release(w->picked);
    release(w->logits);
    release(w->losses);
    release(w);
    *e = (engine){0};
}

/* In step: what one has read must not have left its cache when the others come. */
static void read_weights(void *argument, member me) {
    const engine *e = argument;
    const float *packed = e->model->packed;
    for (size_t left = e->model->packed_bytes / sizeof *packed, n; left >= 64; left -= n, packed += n) {
        n = left < STEP_FLOATS ? left / 64 * 64 : STEP_FLOATS;
        team_sync(me);
        e->kernels->read_floats(n, packed);
    }
}

void engine_warm(engine *e) {
    if (team_size(e->team) > 1) team_run(e->team, read_weights, e);
}

/* What the team works on: the transformer, then logits of some of its rows. */
typedef struct engine_job {
    const engine *e;
    transformer_call call;
    transformer_function *body;
    const float *rows; /* (count, C) to make logits of */
    int count;
    float *logits;
    const int32_t *targets; /* with targets: losses of the rows */
    row_loss *losses;
} engine_job;

static void run_body(void *argument, member me) {
    const engine_job *job = argument;
    job->body(&job->call, me);
}

/* Logits of the job's rows: few rows split the vocabulary, many the rows. */
static void run_head(void *argument, member me) {
    const engine_job *job = argument;
    const linear *head = &job->e->model->w.head;
    size_t c = (size_t)padded(head->in), v = (size_t)padded(head->out);
    range columns = {0, (int)v}, rows = {0, job->count};
    if (job->targets || job->count >= 8 * me.size)
        rows = share(me, job->count, 1);
    else
        columns = share(me, (int)v, 16);
    job->e->kernels->linear(head, rows.to - rows.from, columns.from, columns.to,
                            job->rows + (size_t)rows.from * c, c, job->logits + (size_t)rows.from * v, v);
    if (job->targets)
        job->e->kernels->cross_entropy(rows.to - rows.from, head->out, job->logits + (size_t)rows.from * v, v,
                                       job->targets + rows.from, 0, job->losses + rows.from);
}

static int count_rows(int n, const sequence_rows *sequences) {
    int rows = 0;
    for (int i = 0; i < n; i++) rows += sequences[i].count;
    return rows;
}

static engine_job run_transformer(engine *e, int n, const sequence_rows *sequences,
                                  transformer_function *body, int fault) {
    engine_memory *w = e->memory;
    engine_job job = {.e = e, .body = body, .rows = w->acts.norm_f, .count = count_rows(n, sequences)};
    job.call = (transformer_call){.model = e->model,
                                  .kernels = e->kernels,
                                  .acts = w->acts,
                                  .n = n,
                                  .sequences = sequences,
                                  .scratch = w->scratch,
                                  .fault = fault};
    team_run(e->team, run_body, &job);
    return job;
}

static void pick_last_rows(engine_job *job, int n, const sequence_rows *sequences, float *picked) {
    size_t c = (size_t)padded(job->e->model->shape.n_embd);
    for (int i = 0, row = 0; i < n; i++) {
        row += sequences[i].count;
        memcpy(picked + (size_t)i * c, job->rows + (size_t)(row - 1) * c, c * sizeof(float));
    }
    job->rows = picked;
    job->count = n;
}

void engine_forward_by(engine *e, int n, const sequence_rows *sequences, logit_rows wanted, float *logits,
                       transformer_function *body, int fault) {
    engine_job job = run_transformer(e, n, sequences, body, fault);
    if (wanted == LAST_ROWS) pick_last_rows(&job, n, sequences, e->memory->picked);
    job.logits = logits;
    team_run(e->team, run_head, &job);
}

void engine_forward(engine *e, int n, const sequence_rows *sequences, logit_rows wanted, float *logits) {
    engine_forward_by(e, n, sequences, wanted, logits, transformer_forward, 0);
}

void engine_losses(engine *e, int n, const sequence_rows *sequences, const int32_t *targets, double *losses) {
    engine_memory *w = e->memory;
    engine_job job = run_transformer(e, n, sequences, transformer_forward, 0);
    size_t c = (size_t)padded(e->model->shape.n_embd);
    int rows = job.count;
    job.logits = w->logits;
    job.losses = w->losses;
    for (int r = 0; r < rows; r += w->loss_rows) {
        job.rows = w->acts.norm_f + (size_t)r * c;
        job.count = rows - r < w->loss_rows ? rows - r : w->loss_rows;
        job.targets = targets + r;
        team_run(e->team, run_head, &job);
        for (int i = 0; i < job.count; i++) losses[r + i] = cross_entropy_of(w->losses[i]);
    }
}
