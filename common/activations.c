#include "activations.h"
#include "memory.h"

/* Hands out consecutive arrays; with memory NULL it only counts. */
typedef struct carver {
    float *memory;
    size_t used, rows;
} carver;

static float *carve(carver *c, int columns) {
    float *at = c->memory ? c->memory + c->used : NULL;
    c->used += (c->rows * (size_t)columns + 15) / 16 * 16;
    return at;
}

static layer_activations carve_layer(carver *c, const shape *s, bool every_layer) {
    int n = padded(s->n_embd);
    layer_activations l;
    l.in = carve(c, n);
    l.stats_1 = carve(c, 2);
    l.norm_1 = carve(c, n);
    l.qkv = carve(c, padded(3 * s->n_embd));
    l.row_max = carve(c, s->n_head);
    l.row_scale = carve(c, s->n_head);
    l.att = carve(c, n);
    l.mid = every_layer ? carve(c, n) : l.in;
    l.stats_2 = every_layer ? carve(c, 2) : l.stats_1;
    l.norm_2 = every_layer ? carve(c, n) : l.norm_1;
    l.fc = carve(c, padded(4 * s->n_embd));
    return l;
}

static size_t carve_all(activations *a, const shape *s, bool every_layer) {
    carver c = {a->memory, 0, (size_t)a->rows};
    int n = padded(s->n_embd);
    for (int i = 0; i < a->n_layer; i++)
        a->layers[i] = i == 0 || every_layer ? carve_layer(&c, s, every_layer) : a->layers[0];
    a->layers[a->n_layer].in = every_layer ? carve(&c, n) : a->layers[0].in;
    a->branch = carve(&c, n);
    a->act = carve(&c, padded(4 * s->n_embd));
    a->stats_f = carve(&c, 2);
    a->norm_f = carve(&c, n);
    return c.used;
}

bool activations_open(activations *a, const shape *s, int rows, bool every_layer, problem *why) {
    *a = (activations){.rows = rows, .n_layer = s->n_layer};
    a->layers = allocate((size_t)s->n_layer + 1, sizeof *a->layers, "layers of activations", why);
    if (!a->layers) return false;
    size_t floats = carve_all(a, s, every_layer);
    a->memory = allocate(floats, sizeof(float), "activations", why);
    if (a->memory)
        carve_all(a, s, every_layer);
    else
        activations_close(a);
    return a->memory != NULL;
}

void activations_close(activations *a) {
    release(a->memory);
    release(a->layers);
    *a = (activations){0};
}
