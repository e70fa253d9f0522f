#include "deflater.h"
#include "least.h"
#include "memory.h"
#include <string.h>
#include <zlib.h>

/* A piece holds about as many bytes as zlib gives a Huffman code of its own. */
enum { PIECE = 1 << 16, RAW = -MAX_WBITS, LEVEL = 1, MEMORY = MAX_MEM_LEVEL };
enum { PIECES_EACH = 8, MOST_PIECES = 128 }; /* in a round: to a thread, and to all */
enum { FLUSH = 16 };                         /* more than the bytes by which a piece ends where one follows */

typedef struct piece {
    unsigned char *in, *out; /* PIECE bytes, and room for what becomes of them */
    size_t taken, made;
    uint32_t crc;
} piece;

struct deflater {
    team *team;
    z_stream *streams; /* one to a thread; so many are open: */
    int opened;
    int pieces; /* in a round */
    piece *list;
    size_t room; /* for what becomes of a piece */
    unsigned char *memory;

    deflater_input *input;
    const void *context;
    uint64_t size, next; /* of the sequence; its first byte that is not in a round yet */
    uint32_t crc;
    int count, at; /* pieces of this round, 0: there was none yet; the one to be read from, */
    size_t read;   /* and how much of it was */
};

/* The piece number `i` of the round, whose first byte is `next`. */
static void deflate_piece(const deflater *d, z_stream *z, int i) {
    piece *p = &d->list[i];
    uint64_t from = d->next + (uint64_t)i * PIECE, left = d->size - from;
    p->taken = left < PIECE ? (size_t)left : PIECE;
    d->input(d->context, from, p->in, p->taken);
    p->crc = (uint32_t)crc32(0, p->in, (uInt)p->taken);
    (void)deflateReset(z);
    z->next_in = p->in;
    z->avail_in = (uInt)p->taken;
    z->next_out = p->out;
    z->avail_out = (uInt)d->room;
    (void)deflate(z, p->taken == left ? Z_FINISH : Z_SYNC_FLUSH); /* cannot fail: there is room */
    p->made = d->room - z->avail_out;
}

static void deflate_share(void *argument, member me) {
    const deflater *d = argument;
    range r = share(me, d->count, 1);
    for (int i = r.from; i < r.to; i++) deflate_piece(d, &d->streams[me.rank], i);
}

/* A sequence of no bytes is one piece of none. */
static void next_round(deflater *d) {
    uint64_t left = d->size - d->next, pieces = left / PIECE + (left % PIECE > 0 || d->size == 0);
    d->count = pieces < (uint64_t)d->pieces ? (int)pieces : d->pieces;
    team_run(d->team, deflate_share, d);
    for (int i = 0; i < d->count; i++) {
        d->next += d->list[i].taken;
        d->crc = (uint32_t)crc32_combine(d->crc, d->list[i].crc, (z_off_t)d->list[i].taken);
    }
    d->at = 0;
    d->read = 0;
}

static bool open_pieces(deflater *d, problem *why) {
    d->list = allocate((size_t)d->pieces, sizeof *d->list, "what is compressed", why);
    d->memory = d->list ? allocate((size_t)d->pieces, PIECE + d->room, "what is compressed", why) : NULL;
    if (!d->memory) return false;
    for (int i = 0; i < d->pieces; i++) {
        d->list[i].in = d->memory + (size_t)i * (PIECE + d->room);
        d->list[i].out = d->list[i].in + PIECE;
    }
    return true;
}

static bool open_streams(deflater *d, problem *why) {
    int threads = team_size(d->team);
    d->streams = allocate((size_t)threads, sizeof *d->streams, "what is compressed", why);
    if (!d->streams) return false;
    for (; d->opened < threads; d->opened++)
        if (deflateInit2(&d->streams[d->opened], LEVEL, Z_DEFLATED, RAW, MEMORY, Z_RLE) != Z_OK)
            return run_failed(why, "out of memory for zlib");
    d->room = deflateBound(d->streams, PIECE) + FLUSH;
    return true;
}

deflater *deflater_open(team *t, problem *why) {
    deflater *d = allocate(1, sizeof *d, "what is compressed", why);
    if (!d) return NULL;
    d->team = t;
    d->pieces = least(team_size(t) * PIECES_EACH, MOST_PIECES);
    if (open_streams(d, why) && open_pieces(d, why)) return d;
    deflater_close(d);
    return NULL;
}

void deflater_close(deflater *d) {
    if (!d) return;
    for (int i = 0; i < d->opened; i++) (void)deflateEnd(&d->streams[i]);
    release(d->streams);
    release(d->list);
    release(d->memory);
    release(d);
}

void deflater_begin(deflater *d, deflater_input *input, const void *context, uint64_t size) {
    d->input = input;
    d->context = context;
    d->size = size;
    d->next = 0;
    d->crc = (uint32_t)crc32(0, NULL, 0);
    d->count = d->at = 0;
    d->read = 0;
}

size_t deflater_read(deflater *d, void *out, size_t most) {
    if (d->at < d->count && d->read == d->list[d->at].made) {
        d->at++;
        d->read = 0;
    }
    if (d->at == d->count) {
        if (d->count > 0 && d->next == d->size) return 0;
        next_round(d);
    }
    const piece *p = &d->list[d->at];
    size_t count = p->made - d->read < most ? p->made - d->read : most;
    memcpy(out, p->out + d->read, count);
    d->read += count;
    return count;
}

uint32_t deflater_crc(const deflater *d) {
    return d->crc;
}
