/*
 * The reader of a ring, and the chain of a sample: what user/hot.c does with records that this program makes.
 *
 * lab15_ring STEP prints what it has seen; labs/tests/lab15.py judges it.
 */
#define main hot_main
#include "user/hot.c"
#undef main

#define ROUNDS 3000

static struct ring_page page;
static struct ring ring = { .page = &page };
static unsigned long written, taken, wrong, early;
static uint64_t next_at; /* where the record lies that comes next */

/* The number n of a record decides its size, and all its words. */
static size_t size_of(unsigned long n)
{
	return ring.size > RECORD_MAX && n % 7 == 0 ? RECORD_MAX - 8 : 16 + n * 7919 % 97 * 8;
}

static uint64_t word_of(unsigned long n, size_t i)
{
	return n << 20 | i;
}

/* Each record has another type, most of them unknown. */
static uint32_t type_of(unsigned long n)
{
	return 1 + n % 90;
}

static bool write_record(void)
{
	size_t size = size_of(written);
	struct record head = { .type = type_of(written), .size = (uint16_t)size };

	if (ring.size - (page.data_head - page.data_tail) < size)
		return false;
	for (size_t i = 0; i < size / 8; i++) {
		uint64_t word = word_of(written, i);

		memcpy(ring.data + ((page.data_head + i * 8) & (ring.size - 1)), i ? (void *)&word : (void *)&head, 8);
	}
	page.data_head += size;
	written++;
	return true;
}

static void check_record(const struct record *record)
{
	size_t size = size_of(taken);
	const uint64_t *words = (const uint64_t *)record;

	early += page.data_tail > next_at;
	if (record->type != type_of(taken) || record->size != size)
		wrong++;
	else
		for (size_t i = 1; i < size / 8; i++)
			wrong += words[i] != word_of(taken, i);
	taken++;
	next_at += size;
}

static void check_ring(uint64_t size)
{
	ring.size = size;
	ring.data = malloc(size);
	/* As if 4 GiB less a page had been written already. */
	page.data_head = page.data_tail = next_at = (1ULL << 32) - PAGE;
	for (unsigned round = 0; round < ROUNDS && !wrong; round++) {
		unsigned some = round % 3 ? round % 17 : 1000; /* or until the ring is full */

		while (some-- && write_record())
			;
		read_ring(&ring, check_record);
		if (page.data_tail != page.data_head || taken != written) {
			wrong++;
			break;
		}
	}
	free(ring.data);
	printf("written %lu taken %lu wrong %lu early %lu left %lu\n", written, taken, wrong, early,
	       (unsigned long)(page.data_head - page.data_tail));
}

/* Counts a sample, and prints the names of its chain. */
static void show_sample(const char *what, uint64_t nr, const uint64_t *ips)
{
	struct sample *sample = calloc(1, sizeof(*sample) + nr * 8);

	sample->head = (struct record){ .type = PERF_RECORD_SAMPLE, .size = (uint16_t)(sizeof(*sample) + nr * 8) };
	sample->nr = nr;
	for (uint64_t i = 0; i < nr; i++)
		sample->ips[i] = ips[i];
	chain_count = 0;
	take_record(&sample->head);
	free(sample);
	printf("%s:", what);
	for (unsigned i = 0; chain_count && i < chains[0].depth; i++)
		printf(" %s", chains[0].functions[i]->name);
	putchar('\n');
}

static void check_chains(void)
{
	static struct function known[] = { { 0x1000, "a", 0 }, { 0x2000, "b", 0 }, { 0x3000, "c", 0 } };
	uint64_t deep[50] = { [0] = -128 };

	functions = known;
	function_count = 3;
	show_sample("plain", 4, (uint64_t[]){ -128, 0x1010, 0x2020, 0x3030 });
	show_sample("first", 2, (uint64_t[]){ -128, 0x2000 });
	show_sample("end", 4, (uint64_t[]){ -128, 0x3000, 0x3000, 0x2000 });
	show_sample("markers", 6, (uint64_t[]){ -128, 0x1010, 0x2020, -512, -4095, 0x3030 });
	show_sample("unknown", 4, (uint64_t[]){ -128, 0x1010, 0x10, 0x3030 });
	show_sample("none", 0, NULL);
	for (unsigned i = 1; i < 50; i++)
		deep[i] = 0x1010;
	show_sample("deep", 50, deep);
}

int main(int argc, char **argv)
{
	const char *step = argc > 1 ? argv[1] : "";

	if (!strcmp(step, "chains"))
		check_chains();
	else
		check_ring(!strcmp(step, "large") ? 4 * RECORD_MAX : PAGE);
	return 0;
}
