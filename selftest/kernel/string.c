/* Self-tests of memcpy, memmove and memset, which are in assembly: every size, every overlap. */
#include "kernel/lib/string.h"
#include "selftest/selftest.h"

#define SIZE    96U
#define LONGEST 40U

static u8 source[SIZE], buffer[SIZE], expected[SIZE];

static void prepare(void)
{
	for (unsigned i = 0; i < SIZE; i++)
		source[i] = buffer[i] = expected[i] = (u8)(i * 5 + 1);
}

static bool as_expected(void)
{
	for (unsigned i = 0; i < SIZE; i++)
		if (buffer[i] != expected[i])
			return false;
	return true;
}

SELFTEST(string, memmove_is_right_for_every_overlap)
{
	for (unsigned size = 0; size <= LONGEST; size++) {
		for (unsigned from = 0; from <= 48; from++) {
			for (unsigned to = 0; to <= 48; to += 1 + (from & 1)) {
				prepare();
				for (unsigned i = 0; i < size; i++)
					expected[to + i] = source[from + i];
				ASSERT(memmove(buffer + to, buffer + from, size) == buffer + to);
				ASSERT(as_expected());
			}
		}
	}
}

SELFTEST(string, memcpy_and_memset_write_what_they_should_and_nothing_else)
{
	for (unsigned size = 0; size <= LONGEST; size++) {
		for (unsigned at = 0; at < 24; at++) {
			prepare();
			for (unsigned i = 0; i < size; i++)
				expected[at + i] = source[i + 3];
			ASSERT(memcpy(buffer + at, source + 3, size) == buffer + at);
			ASSERT(as_expected());
			for (unsigned i = 0; i < size; i++)
				expected[at + i] = 0xa7;
			/* memset() uses only the low byte. */
			ASSERT(memset(buffer + at, 0x12a7, size) == buffer + at);
			ASSERT(as_expected());
		}
	}
}
