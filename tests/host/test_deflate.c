/*
 * Compression and checksum of exported frames. The references are a decoder written from RFC 1951 alone,
 * and published values of CRC-32.
 * sources: user/trace-export/deflate.c user/trace-export/crc32.c
 */
#include "test.h"

#include "user/trace-export/crc32.h"
#include "user/trace-export/deflate.h"

struct bits {
	const uint8_t *in;
	size_t size, at; /* at: in bits */
};

static unsigned take(struct bits *b, unsigned count)
{
	unsigned value = 0;

	for (unsigned i = 0; i < count; i++, b->at++) {
		assert_true(b->at / 8 < b->size);
		value |= (unsigned)(b->in[b->at / 8] >> (b->at % 8) & 1) << i;
	}
	return value;
}

static unsigned take_code(struct bits *b, unsigned count)
{
	unsigned value = 0;

	while (count--)
		value = value << 1 | take(b, 1);
	return value;
}

static unsigned take_symbol(struct bits *b)
{
	unsigned code = take_code(b, 7);

	if (code < 24)
		return 256 + code;
	code = code << 1 | take_code(b, 1);
	if (code >= 0x30 && code < 0xc0)
		return code - 0x30;
	if (code >= 0xc0 && code < 0xc8)
		return 280 + code - 0xc0;
	return 144 + (code << 1 | take_code(b, 1)) - 0x190;
}

/* RFC 1951, 3.2.5. */
static const unsigned lengths[] = { 3,	4,  5,	6,  7,	8,  9,	10, 11,	 13,  15,  17,	19,  23, 27,
				    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
static const unsigned length_bits[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
					2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
static const unsigned distances[] = { 1,    2,	  3,	4,    5,    7,	   9,	  13,	 17,	25,
				      33,   49,	  65,	97,   129,  193,   257,	  385,	 513,	769,
				      1025, 1537, 2049, 3073, 4097, 6145,  8193,  12289, 16385, 24577 };
static const unsigned distance_bits[] = { 0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
					  6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13 };

static size_t inflate(const uint8_t *in, size_t size, uint8_t *out, size_t room)
{
	struct bits b = { in, size, 0 };
	size_t n = 0;

	assert_int_equal(take(&b, 1), 1);
	assert_int_equal(take(&b, 2), 1);
	for (;;) {
		unsigned symbol = take_symbol(&b), length, code, distance;

		if (symbol == 256)
			break;
		if (symbol < 256) {
			assert_true(n < room);
			out[n++] = (uint8_t)symbol;
			continue;
		}
		assert_true(symbol <= 285);
		length = lengths[symbol - 257] + take(&b, length_bits[symbol - 257]);
		code = take_code(&b, 5);
		assert_true(code < 30);
		distance = distances[code] + take(&b, distance_bits[code]);
		assert_true(distance <= n && n + length <= room);
		for (; length; length--, n++)
			out[n] = out[n - distance];
	}
	assert_int_equal((b.at + 7) / 8, size); /* no byte follows */
	return n;
}

static struct deflate_workspace work;
static uint8_t packed[2 * DEFLATE_MAX_INPUT], unpacked[DEFLATE_MAX_INPUT];

static size_t check(const uint8_t *data, size_t size)
{
	size_t n = deflate_fixed(&work, data, size, packed, sizeof(packed));

	assert_true(n > 0);
	assert_int_equal(inflate(packed, n, unpacked, sizeof(unpacked)), size);
	assert_memory_equal(unpacked, data, size);
	return n;
}

static void test_what_was_packed_unpacks_to_the_same(void **state)
{
	static uint8_t data[DEFLATE_MAX_INPUT];

	(void)state;
	srand(5);
	for (unsigned round = 0; round < 400; round++) {
		size_t size = (size_t)rand() % (round % 10 ? 5000 : sizeof(data) + 1);
		unsigned values = 1U << rand() % 9;
		size_t repeat = 1 + (size_t)rand() % 2000;

		for (size_t i = 0; i < size; i++)
			data[i] = i >= repeat && rand() % 40 ? data[i - repeat]
							     : (uint8_t)((unsigned)rand() % values);
		if (size)
			check(data, size);
	}
}

static void test_every_length_and_distance_of_a_match_is_right(void **state)
{
	static uint8_t data[DEFLATE_MAX_INPUT];
	static const size_t far[] = { 1, 2, 3, 4, 5, 8, 9, 300, 4097, 24577, 31000 };

	(void)state;
	srand(7);
	for (unsigned length = 4; length < 600; length++) {
		size_t distance = far[length % 11] > length ? far[length % 11] : length;

		for (size_t i = 0; i < distance; i++)
			data[i] = (uint8_t)rand();
		memcpy(data + distance, data, length);
		check(data, distance + length);
	}
}

static void test_trace_pages_shrink_and_noise_is_refused(void **state)
{
	uint8_t data[4096] = { 0 };

	(void)state;
	assert_true(check(data, sizeof(data)) < 64);
	srand(9);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)rand();
	assert_int_equal(deflate_fixed(&work, data, sizeof(data), packed, sizeof(data)), 0);
	assert_int_equal(deflate_fixed(&work, unpacked, DEFLATE_MAX_INPUT + 1, packed,
				       sizeof(packed)),
			 0);
}

static void test_nothing_is_written_past_the_room(void **state)
{
	uint8_t data[256], out[256];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7);
	for (size_t room = 0; room < sizeof(out); room++) {
		memset(out, 0xaa, sizeof(out));
		deflate_fixed(&work, data, sizeof(data), out, room);
		for (size_t i = room; i < sizeof(out); i++)
			assert_int_equal(out[i], 0xaa);
	}
}

static void test_crc32_is_the_usual_one_in_any_number_of_pieces(void **state)
{
	const char *text = "123456789";

	(void)state;
	assert_int_equal(crc32(0, text, 9), 0xcbf43926);
	assert_int_equal(crc32(0, "", 0), 0);
	for (size_t cut = 0; cut <= 9; cut++)
		assert_int_equal(crc32(crc32(0, text, cut), text + cut, 9 - cut), 0xcbf43926);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_packed_unpacks_to_the_same),
		cmocka_unit_test(test_every_length_and_distance_of_a_match_is_right),
		cmocka_unit_test(test_trace_pages_shrink_and_noise_is_refused),
		cmocka_unit_test(test_nothing_is_written_past_the_room),
		cmocka_unit_test(test_crc32_is_the_usual_one_in_any_number_of_pieces),
	};

	return cmocka_run_group_tests_name("deflate", tests, NULL, NULL);
}
