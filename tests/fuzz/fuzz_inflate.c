/*
 * Decompression: any data of the format deflate gives what zlib makes of it, or fails where zlib fails.
 * sources: kernel/lib/inflate.c
 * runs: 5000
 * flags: -O1
 * libraries: -lz
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "kernel/lib/inflate.h"

#define OUT_MAX (1 << 18) /* bytes, of both */

static int grow(struct gunzip *z)
{
	size_t size = z->out_size ? z->out_size * 2 : 1;

	if (size > OUT_MAX)
		return -1;
	z->out = realloc(z->out, size);
	z->out_size = size;
	return 0;
}

/* What zlib makes of raw data. Returns Z_STREAM_END if it comes to an end; *used, *made. */
static int reference(const uint8_t *data, size_t size, uint8_t *out, size_t *used, size_t *made)
{
	z_stream s = { .next_in = (Bytef *)data, .avail_in = (uInt)size, .next_out = out, .avail_out = OUT_MAX };
	int ret;

	if (inflateInit2(&s, -15) != Z_OK)
		abort();
	ret = inflate(&s, Z_FINISH);
	*used = s.total_in;
	*made = s.total_out;
	inflateEnd(&s);
	return ret;
}

static void put32(uint8_t *p, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t header[10] = { 0x1f, 0x8b, 8 };
	static uint8_t expected[OUT_MAX];
	struct gunzip *z = calloc(1, sizeof(*z));
	size_t used, made;
	int ret = reference(data, size, expected, &used, &made), ours;
	uint8_t *in = malloc(size + 18);
	size_t in_size = ret == Z_STREAM_END ? used + 18 : size + 10;

	memcpy(in, header, 10);
	memcpy(in + 10, data, ret == Z_STREAM_END ? used : size);
	if (ret == Z_STREAM_END) {
		put32(in + 10 + used, (uint32_t)crc32(0, expected, (uInt)made));
		put32(in + 14 + used, (uint32_t)made);
	}
	in = realloc(in, in_size); /* ASan sees each byte that is read behind its end */
	z->in = in;
	z->in_size = in_size;
	z->grow = grow;
	ours = gunzip(z);
	if (ret == Z_STREAM_END && (ours || z->in_pos != in_size || z->out_pos != made || (made && memcmp(z->out, expected, made))))
		abort();
	if (ret != Z_STREAM_END && !ours)
		abort();
	if (ours && ours != -1 && !z->problem)
		abort();
	/* What comes before the error is the same, too. zlib may hold back, but not make more. */
	if (ours && made && z->out_pos < made && ret == Z_DATA_ERROR)
		abort();

	free(z->out);
	/* The same bytes as a whole file: the header is not trusted either. */
	memset(z, 0, sizeof(*z) - sizeof(z->literals) - sizeof(z->distances));
	free(in);
	in = malloc(size ? size : 1);
	memcpy(in, data, size);
	z->in = in;
	z->in_size = size;
	z->out = NULL;
	z->grow = grow;
	if (!gunzip(z) && (z->in_pos > size || z->in_pos < 18))
		abort();
	free(z->out);
	free(z);
	free(in);
	return 0;
}
