#include "transformer.h"
#include "least.h"

/* This file is compiled twice. Built with FORWARD_FAULTS it becomes transformer_forward_faulty, whose
 * mistakes `check` must catch; in the shipped forward FAULT() is the constant false. */
#ifdef FORWARD_FAULTS
#include "faulty_forward.h"
#define FAULT(call, which)  ((call)->fault == (which))
#define transformer_forward transformer_forward_faulty
#else
#define FAULT(call, which) false
#endif

/* One member's part of a call. A team splits many rows among its members, who then meet only where rows read
 * one another; few rows are worked on by all, who split the columns and meet after every step. */
typedef struct pass {
    const transformer_call *call;
    const kernels *k;
    const shape *s;
    member me;
    bool by_columns;
    range rows; /* what this member works on now */
} pass;

/* Where members that split columns wait for the others' columns; members that split rows need not. */
static void meet(const pass *p) {
    if (p->by_columns) team_sync(p->me);
}

enum { COLUMNS = 64 }; /* to a piece, so that dropout's masks are not cut */

/* The columns of an n-wide result that are this member's. */
static range columns(const pass *p, int n) {
    return p->by_columns ? share(p->me, padded(n), COLUMNS) : (range){0, padded(n)};
}

/* The rows of work that is done by whole rows: all members have their own. */
static range whole_rows(const pass *p) {
    if (!p->by_columns) return p->rows;
    range r = share(p->me, p->rows.to - p->rows.from, 1);
    return (range){r.from + p->rows.from, r.to + p->rows.from};
}

static float *at(float *base, int row, size_t stride) {
    return base + (size_t)row * stride;
}

static void norm(const pass *p, const layer_norm *n, float *x, float *stats, float *y) {
    range r = whole_rows(p);
    size_t c = (size_t)padded(p->s->n_embd);
    p->k->layer_norm(r.to - r.from, p->s->n_embd, at(x, r.from, c), c, n->weight, n->bias, at(y, r.from, c),
                     c, at(stats, r.from, 2));
    meet(p);
}

/* y = x W^T + b for this member's rows and columns. */
static void project(const pass *p, const linear *l, float *x, float *y) {
    range c = columns(p, l->out);
    size_t xs = (size_t)padded(l->in), ys = (size_t)padded(l->out);
    p->k->linear(l, p->rows.to - p->rows.from, c.from, c.to, at(x, p->rows.from, xs), xs,
                 at(y, p->rows.from, ys), ys);
}

/* out = in + dropout(branch) for this member's rows and columns. */
static void add_branch(const pass *p, float *in, float *branch, uint32_t site, float *out) {
    dropout drop;
    bool dropped = dropout_at(p->call->drop, site, &drop);
    range c = columns(p, p->s->n_embd);
    size_t n = (size_t)padded(p->s->n_embd), row = drop_row(p->s->n_embd);
    size_t first = (size_t)p->rows.from * n + (size_t)c.from;
    uint64_t index = (uint64_t)(p->rows.from - p->call->first) * row + (uint64_t)c.from;
    p->k->add(p->rows.to - p->rows.from, c.to - c.from, in + first, n, branch + first, n,
              dropped ? &drop : NULL, index, row, out + first, n);
    meet(p);
}

/* Token and position embedding of the sequence whose first row is `base`. */
static void embed_sequence(const pass *p, const sequence_rows *q, int base, range rows) {
    const weights *w = &p->call->model->w;
    size_t n = (size_t)padded(p->s->n_embd);
    int offset = q->position;
    if (FAULT(p->call, FAULT_NO_POSITION_OFFSET)) offset = 0;
    if (FAULT(p->call, FAULT_POSITIONS_NOT_RESET) && q->position == 0) offset = p->s->block_size - q->count;
    for (int r = rows.from; r < rows.to; r++) {
        const float *token = w->wte + (size_t)q->tokens[r - base] * n;
        const float *position = w->wpe + (size_t)(offset + r - base) * n;
        float *out = at(p->call->acts.layers[0].in, r, n);
        for (size_t c = 0; c < n; c++) out[c] = token[c] + position[c];
    }
}

static void embed(const pass *p) {
    const transformer_call *call = p->call;
    range mine = whole_rows(p);
    for (int i = 0, base = call->first; i < call->n; base += call->sequences[i++].count) {
        range r = {mine.from > base ? mine.from : base, least(mine.to, base + call->sequences[i].count)};
        if (r.from < r.to) embed_sequence(p, &call->sequences[i], base, r);
    }
    dropout drop;
    if (dropout_at(call->drop, embedding_site(), &drop)) {
        size_t n = (size_t)padded(p->s->n_embd), row = drop_row(p->s->n_embd);
        float *x = at(call->acts.layers[0].in, mine.from, n);
        uint64_t index = (uint64_t)(mine.from - call->first) * row;
        p->k->drop(mine.to - mine.from, (int)n, x, n, &drop, index, row, x, n);
    }
    meet(p);
}

/* The keys and values of some rows of one sequence, whose first row is `base`, join a head's cache. */
static void append(const pass *p, int layer, const sequence_rows *q, int base, range rows, int head) {
    const shape *s = p->s;
    size_t stride = (size_t)padded(3 * s->n_embd);
    int d = head_size(s), first = rows.from;
    if (FAULT(p->call, FAULT_STALE_ROW) && q->position > 0 && first == base) first++;
    const float *k = at(p->call->acts.layers[layer].qkv, first, stride) + s->n_embd + head * d;
    new_positions new = {
        .position = q->position + first - base,
        .count = rows.to - first,
        .head_size = d,
        .k = k,
        .v = k + s->n_embd,
        .stride = stride,
        .cache = cache_head(q->cache, layer, head),
    };
    if (new.count > 0) p->k->append(&new);
}

/* The same in all heads for this member's rows, while the processor still has them at hand. */
static void append_rows(const pass *p, int layer) {
    const transformer_call *call = p->call;
    for (int i = 0, base = call->first; i < call->n; base += call->sequences[i++].count) {
        const sequence_rows *q = &call->sequences[i];
        range r = {p->rows.from > base ? p->rows.from : base, least(p->rows.to, base + q->count)};
        for (int h = 0; r.from < r.to && h < p->s->n_head; h++) append(p, layer, q, base, r, h);
    }
}

/* The cache of the head in turn, where sequences follow one another, if it holds halves; else NULLs. */
static cached_head head_in_turn(const pass *p, int layer, int turn) {
    const transformer_call *call = p->call;
    int heads = p->s->n_head, sequence = turn / heads;
    const kv_cache *cache = sequence < call->n ? call->sequences[sequence].cache : NULL;
    return cache && cache->type == CACHE_F16 ? cache_head(cache, layer, turn % heads) : (cached_head){0};
}

/* Attention of one sequence's rows in one head. By columns the head is this member's alone, and is filled
 * here: its columns were nobody's until all had met. */
static void attend(const pass *p, int layer, const sequence_rows *q, int base, int head, cached_head next) {
    const transformer_call *call = p->call;
    layer_activations *a = &call->acts.layers[layer];
    const shape *s = p->s;
    int d = head_size(s), reads = layer;
    if (FAULT(call, FAULT_WRONG_LAYER)) reads = (layer + 1) % s->n_layer;
    size_t stride = (size_t)padded(3 * s->n_embd), c = (size_t)padded(s->n_embd);
    if (p->by_columns) append(p, layer, q, base, (range){base, base + q->count}, head);
    dropout drop;
    bool dropped = dropout_at(call->drop, attention_site(s, layer, head), &drop);
    size_t softmax = (size_t)head * (size_t)call->acts.rows + (size_t)base;
    attention_rows rows = {
        .rows = q->count,
        .position = FAULT(call, FAULT_NO_MASK_OFFSET) ? 0 : q->position,
        .head_size = d,
        .q = at(a->qkv, base, stride) + head * d,
        .q_stride = stride,
        .cache = cache_head(q->cache, reads, head),
        .next = next,
        .out = at(a->att, base, c) + head * d,
        .out_stride = c,
        .row_max = a->row_max + softmax,
        .row_scale = a->row_scale + softmax,
        .drop = dropped ? &drop : NULL,
        .drop_row = drop_row(s->block_size),
        .scratch = call->scratch[p->me.rank],
    };
    p->k->attention(&rows);
}

/* Members take (sequence, head) pairs in turn. */
static void attend_all(const pass *p, int layer) {
    const transformer_call *call = p->call;
    int turn = 0;
    for (int i = 0, base = call->first; i < call->n; base += call->sequences[i++].count)
        for (int h = 0; h < p->s->n_head; h++, turn++)
            if (turn % p->me.size == p->me.rank)
                attend(p, layer, &call->sequences[i], base, h, head_in_turn(p, layer, turn + p->me.size));
}

static void feed_forward(const pass *p, int layer) {
    const transformer_call *call = p->call;
    const layer_weights *w = &call->model->w.layers[layer];
    layer_activations *a = &call->acts.layers[layer];
    norm(p, &w->ln_2, a->mid, a->stats_2, a->norm_2);
    project(p, &w->fc, a->norm_2, a->fc);
    range c = columns(p, w->fc.out);
    size_t n4 = (size_t)padded(w->fc.out), first = (size_t)p->rows.from * n4 + (size_t)c.from;
    p->k->activation[p->s->activation](p->rows.to - p->rows.from, c.to - c.from, a->fc + first, n4,
                                       call->acts.act + first, n4);
    meet(p);
    project(p, &w->mlp_proj, call->acts.act, call->acts.branch);
    add_branch(p, a->mid, call->acts.branch, mlp_output_site(p->s, layer), call->acts.layers[layer + 1].in);
}

/* Runs `work` over this member's rows in blocks whose activations stay in cache (all rows at once by
 * columns). */
static void in_blocks(const pass *p, void (*work)(const pass *p, int layer), int layer) {
    pass block = *p;
    for (int r = p->rows.from; r < p->rows.to; r = block.rows.to) {
        block.rows = (range){r, p->by_columns ? p->rows.to : block_end(r, p->rows.to)};
        work(&block, layer);
    }
}

static void to_queries(const pass *p, int layer) {
    const layer_weights *w = &p->call->model->w.layers[layer];
    layer_activations *a = &p->call->acts.layers[layer];
    norm(p, &w->ln_1, a->in, a->stats_1, a->norm_1);
    project(p, &w->qkv, a->norm_1, a->qkv);
    if (!p->by_columns) append_rows(p, layer);
}

static void after_attention(const pass *p, int layer) {
    const transformer_call *call = p->call;
    layer_activations *a = &call->acts.layers[layer];
    project(p, &call->model->w.layers[layer].attn_proj, a->att, call->acts.branch);
    add_branch(p, a->in, call->acts.branch, attention_output_site(p->s, layer), a->mid);
    feed_forward(p, layer);
}

static bool splits_columns(const shape *s, int rows, int members) {
    int pieces = padded(s->n_embd) / COLUMNS, fewest = pieces < members ? FEWEST_ROWS / 2 : FEWEST_ROWS;
    return members > 1 && rows < fewest * members;
}

void transformer_forward(const transformer_call *call, member me) {
    pass p = {.call = call, .k = call->kernels, .s = &call->model->shape, .me = me};
    int rows = 0;
    for (int i = 0; i < call->n; i++) rows += call->sequences[i].count;
    p.by_columns = splits_columns(p.s, rows, me.size);
    range mine = p.by_columns ? (range){0, rows} : share(me, rows, 1);
    p.rows = (range){call->first + mine.from, call->first + mine.to};
    embed(&p);
    for (int l = 0; l < p.s->n_layer; l++) {
        in_blocks(&p, to_queries, l);
        team_sync(me); /* attention reads other members' rows and columns */
        attend_all(&p, l);
        team_sync(me);
        in_blocks(&p, after_attention, l);
    }
    norm(&p, &call->model->w.ln_f, call->acts.layers[p.s->n_layer].in, call->acts.stats_f, call->acts.norm_f);
    if (!p.by_columns) team_sync(me);
}
