/* Check: mistakes that a cache invites, built in on purpose. Each must make the comparison fail, which is the
 * proof that the other lines can. */
#include "check_subject.h"
#include "faulty_forward.h"
#include "memory.h"
#include <string.h>

/* Where a fault is shown: rows at `position` that follow a sound prefill. */
typedef struct fault {
    forward_fault kind;
    const char *what;
    bool at_start; /* it shows in the rows that start a cache, not in those that follow */
    enum { POSITIONS = 1, CONTEXT = 2 } needs; /* that rows depend on where they are, or on earlier ones */
    int layers;                                /* that it needs */
} fault;

static const fault faults[] = {
    {FAULT_NONE, "the forward that the faults are built into, without one", false, 0, 1},
    {FAULT_NO_POSITION_OFFSET, "fault: a chunk's positions start at 0", false, POSITIONS, 1},
    {FAULT_NO_MASK_OFFSET, "fault: a chunk's mask starts at 0", false, CONTEXT, 1},
    {FAULT_STALE_ROW, "fault: a stale row stays in the cache", false, CONTEXT, 1},
    {FAULT_WRONG_LAYER, "fault: the keys of another layer", false, CONTEXT, 2},
    {FAULT_POSITIONS_NOT_RESET, "fault: a rebuild goes on with the old positions", true, POSITIONS, 1},
};

static void run_faulty(subject *s, forward_fault kind, int from, int to, comparison *c) {
    sequence_rows rows = {s->tokens + from, to - from, from, &s->cache};
    engine_forward_faulty(&s->engine, 1, &rows, ALL_ROWS, s->logits, kind);
    compare_logits(s, s->logits, s->whole + (size_t)from * row_floats(s), to - from, c);
}

/* What makes a difference to these weights. */
typedef struct sensitivity {
    comparison own;     /* logits of another text against the subject's */
    comparison earlier; /* the same where only the first token is another, without its own row */
    comparison places;  /* the same where every token is half a context away from its position */
} sensitivity;

static bool compare_places(subject *s, comparison *c, problem *why) {
    size_t context = (size_t)context_of(s), half = context / 2, row = (size_t)padded(s->model->shape.n_embd);
    float *wpe = allocate(context * row, sizeof *wpe, "positions", why);
    if (!wpe) return false;
    memcpy(wpe, s->model->w.wpe + half * row, (context - half) * row * sizeof *wpe);
    memcpy(wpe + (context - half) * row, s->model->w.wpe, half * row * sizeof *wpe);
    model moved = *s->model;
    moved.w.wpe = wpe;
    engine e = s->engine;
    e.model = &moved;
    run_rows(&e, &s->cache, s->tokens, 0, (int)context, ALL_ROWS, s->logits);
    compare_logits(s, s->logits, s->whole, (int)context, c);
    release(wpe);
    return true;
}

static bool measure_sensitivity(subject *s, sensitivity *to, problem *why) {
    return compare_other_text(s, context_of(s), 0, &to->own, why) &&
           compare_other_text(s, 1, 1, &to->earlier, why) && compare_places(s, &to->places, why);
}

/* Why a fault cannot show, or NULL. */
static const char *not_applicable(const fault *f, const shape *s, const sensitivity *to) {
    if (s->block_size < 2) return "the context is one token";
    if (s->vocab_size < 2) return "the vocabulary is one token";
    if (f->kind != FAULT_NONE && to->own.unequal == 0) return "these weights ignore their input";
    if (f->needs == CONTEXT && to->earlier.unequal == 0) return "these weights ignore earlier tokens";
    if (f->needs == POSITIONS && to->places.unequal == 0) return "these weights ignore positions";
    return s->n_layer < f->layers ? "the model has one layer" : NULL;
}

/* Rows from `from`, or as many as there are, with the fault built in. */
static bool show_fault(subject *s, const fault *f, int from, finding *found, problem *why) {
    enum { ROWS = 16 };
    int most = f->at_start ? context_of(s) / 2 : context_of(s), to = from + ROWS < most ? from + ROWS : most;
    comparison other = {0};
    found_at(found, "%d row%s at position %d", to - from, to - from == 1 ? "" : "s", from);
    if (!spoil_cache(s, &other, why)) return false;
    if (from > 0) run_rows(&s->engine, &s->cache, s->tokens, 0, from, LAST_ROWS, s->logits);
    run_faulty(s, f->kind, from, to, &found->seen);
    return true;
}

/* Weights may make nothing of a single row: a fault is looked for in a few places. */
static bool check_fault(subject *s, report *r, const fault *f, problem *why) {
    enum { PLACES = 16 };
    finding found = {.what = f->what};
    int from = f->at_start ? 0 : context_of(s) / 2, last = from < PLACES ? 0 : from - PLACES;
    do {
        if (!show_fault(s, f, from, &found, why)) return false;
    } while (f->kind != FAULT_NONE && found.seen.unequal == 0 && --from > last);
    (f->kind == FAULT_NONE ? report_equal : report_caught)(r, &found);
    return true;
}

bool check_faults(subject *s, report *r, problem *why) {
    sensitivity to = {0};
    if (!measure_sensitivity(s, &to, why)) return false;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const char *reason = not_applicable(&faults[i], &s->model->shape, &to);
        if (!reason && !check_fault(s, r, &faults[i], why)) return false;
        if (reason) report_skipped(r, faults[i].what, reason);
    }
    return true;
}
