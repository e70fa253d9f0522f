/* What the deflater makes is one raw deflate stream that zlib inflates to the same bytes, with their CRC, and
 * it is the same for any number of threads. */
#include "deflater.h"
#include "random.h"
#include "support/suite.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PIECE = 1 << 16, LONGEST = 40 * PIECE + 12345 };

/* Bytes of all kinds, by turns: none but 0, any, and those of floats. */
static unsigned char *mixed_bytes(void) {
    unsigned char *bytes = zeros(LONGEST, 1);
    random_stream s = random_open(1, FOR_INIT, 0, 0, 0);
    for (size_t i = 0; i + 4 <= LONGEST; i += 4) {
        size_t kind = i / 100000 % 3;
        float x = (float)random_normal(&s, i);
        uint32_t mixed;
        memcpy(&mixed, &x, sizeof mixed);
        if (kind == 1) mixed *= 2654435761u;
        if (kind > 0) memcpy(bytes + i, &mixed, sizeof mixed);
    }
    return bytes;
}

static void copy_bytes(const void *bytes, uint64_t offset, void *out, size_t count) {
    memcpy(out, (const unsigned char *)bytes + offset, count);
}

typedef struct stream {
    unsigned char *bytes;
    size_t size;
    uint32_t crc;
} stream;

/* Reads `most` bytes at a time. */
static stream deflated(deflater *d, const unsigned char *bytes, size_t size, size_t most) {
    stream s = {.bytes = zeros(2 * size + PIECE, 1)};
    deflater_begin(d, copy_bytes, bytes, size);
    for (size_t got; (got = deflater_read(d, s.bytes + s.size, most)) > 0; s.size += got)
        ck_assert_uint_le(got, most);
    ck_assert_uint_eq(deflater_read(d, s.bytes + s.size, most), 0);
    s.crc = deflater_crc(d);
    return s;
}

static void expect_inflates(const stream *s, const unsigned char *bytes, size_t size) {
    unsigned char *out = zeros(size + 1, 1);
    z_stream z = {
        .next_in = s->bytes, .avail_in = (uInt)s->size, .next_out = out, .avail_out = (uInt)size + 1};
    ck_assert_int_eq(inflateInit2(&z, -MAX_WBITS), Z_OK);
    ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
    ck_assert_uint_eq(z.avail_in, 0);
    ck_assert_uint_eq(z.total_out, size);
    ck_assert_mem_eq(out, bytes, size);
    ck_assert_uint_eq(s->crc, crc32(0, bytes, (uInt)size));
    inflateEnd(&z);
    free(out);
}

static deflater *deflater_of(team *t) {
    problem why;
    deflater *d = deflater_open(t, &why);
    must(d, &why);
    return d;
}

START_TEST(test_any_length_comes_back) {
    static const size_t sizes[] = {0,          1,
                                   2,          65,
                                   PIECE - 1,  PIECE,
                                   PIECE + 1,  3 * PIECE,
                                   8 * PIECE,  8 * PIECE + 1,
                                   16 * PIECE, 17,
                                   0,          24 * PIECE - 1,
                                   LONGEST};
    unsigned char *bytes = mixed_bytes();
    deflater *d = deflater_of(NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        stream s = deflated(d, bytes, sizes[i], 1000);
        expect_inflates(&s, bytes, sizes[i]);
        free(s.bytes);
    }
    deflater_close(d);
    free(bytes);
}
END_TEST

START_TEST(test_threads_change_no_byte) {
    unsigned char *bytes = mixed_bytes();
    deflater *alone = deflater_of(NULL);
    stream expected = deflated(alone, bytes, LONGEST, LONGEST);
    for (int threads = 1; threads <= 5; threads++) {
        problem why;
        team *t = team_open(threads, &why);
        must(t, &why);
        deflater *d = deflater_of(t);
        stream s = deflated(d, bytes, LONGEST, 1 << 13);
        ck_assert_uint_eq(s.size, expected.size);
        ck_assert_mem_eq(s.bytes, expected.bytes, s.size);
        ck_assert_uint_eq(s.crc, expected.crc);
        free(s.bytes);
        deflater_close(d);
        team_close(t);
    }
    free(expected.bytes);
    deflater_close(alone);
    free(bytes);
}
END_TEST

/* What cannot be told from noise costs next to nothing more, zeros next to nothing. */
START_TEST(test_sizes) {
    unsigned char *bytes = zeros(LONGEST, 1);
    deflater *d = deflater_of(NULL);
    stream none = deflated(d, bytes, LONGEST, LONGEST);
    ck_assert_uint_lt(none.size, LONGEST / 100);
    uint64_t state = 1;
    for (size_t i = 0; i < LONGEST; i++)
        bytes[i] = (unsigned char)((state = state * 6364136223846793005u + 1) >> 56);
    stream noise = deflated(d, bytes, LONGEST, LONGEST);
    ck_assert_uint_lt(noise.size, LONGEST + LONGEST / 1000);
    free(none.bytes);
    free(noise.bytes);
    deflater_close(d);
    free(bytes);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("deflater");
    tcase_add_test(cases, test_any_length_comes_back);
    tcase_add_test(cases, test_threads_change_no_byte);
    tcase_add_test(cases, test_sizes);
    return suite_run(cases, "deflater", 60);
}
