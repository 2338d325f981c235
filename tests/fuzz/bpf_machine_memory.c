/* Memory of the machine that runs verified programs: regions, and accesses to them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_machine.h"

void machine_fail(const struct machine *m, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "VIOLATION after %u steps at depth %u: ", m->steps, m->depth);
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "\n");
	va_end(args);
	abort();
}

u64 machine_random(struct machine *m)
{
	static const u64 edges[] = { 0, 1ULL << 31, 1ULL << 32, 1ULL << 63, 64, 8 };
	u64 random;

	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	random = m->random * 0x2545f4914f6cdd1dULL;
	switch (random >> 61) {
	case 0:
	case 1:
		return random >> (random & 63);
	case 2:
	case 3:
		return edges[random % ARRAY_SIZE(edges)] + (random >> 20) % 9 - 4;
	case 4:
	case 5:
		return random & 15;
	default:
		return random;
	}
}

s32 machine_region(struct machine *m, enum region_kind kind, u32 size)
{
	struct region *region = &m->regions[m->nr_regions];
	u32 i;

	/* The last ones are for the call that is being made. */
	if (m->nr_regions > MACHINE_REGIONS - 16)
		m->given_up = true;
	if (m->nr_regions == MACHINE_REGIONS)
		machine_fail(m, "the machine has too few regions");
	*region = (struct region){ .kind = kind, .size = size, .live = true };
	region->base = 0xffff888000000000ULL + ((u64)m->nr_regions << 20);
	region->bytes = malloc(size ? size : 1);
	for (i = 0; i + 8 <= size; i += 8) {
		u64 random = machine_random(m);

		memcpy(region->bytes + i, &random, 8);
	}
	for (; i < size; i++)
		region->bytes[i] = (u8)machine_random(m);
	if (kind == REGION_STACK) {
		region->pointers = malloc((size / 8 + 1) * sizeof(*region->pointers));
		for (i = 0; i <= size / 8; i++)
			region->pointers[i] = WORD_NUMBER;
	}
	return m->nr_regions++;
}

void machine_free(struct machine *m)
{
	while (m->nr_regions) {
		struct region *region = &m->regions[--m->nr_regions];

		free(region->bytes);
		free(region->pointers);
	}
}

u8 *machine_access(struct machine *m, struct word pointer, s64 off, u64 size, bool write)
{
	struct region *region;
	u64 at;

	if (pointer.region < 0)
		machine_fail(m, "access through %#llx, which is no pointer",
			     (unsigned long long)pointer.bits);
	region = &m->regions[pointer.region];
	at = pointer.bits + (u64)off - region->base;
	if (region->kind == REGION_MAP || region->kind == REGION_FUNC)
		machine_fail(m, "access to an object of the kernel");
	if (!region->live)
		machine_fail(m, "access to a record that was given up, or a frame that returned");
	if (at > region->size || size > region->size - at)
		machine_fail(m,
			     "%s of %llu bytes at %lld of region %d of kind %d, which has %u bytes",
			     write ? "write" : "read", (unsigned long long)size, (long long)at,
			     pointer.region, region->kind, region->size);
	if (write &&
	    (region->read_only || (region->map && region->map->map_flags & BPF_F_RDONLY_PROG)))
		machine_fail(m, "write to read-only memory");
	if (!write && region->map && region->map->map_flags & BPF_F_WRONLY_PROG)
		machine_fail(m, "read of write-only memory");
	if (write && region->kind == REGION_STACK) {
		for (u64 i = at / 8; size && i <= (at + size - 1) / 8; i++)
			region->pointers[i] = WORD_NUMBER;
	}
	return region->bytes + at;
}

void machine_read(struct machine *m, struct word pointer, u64 size)
{
	machine_access(m, pointer, 0, size, false);
}

void machine_fill(struct machine *m, struct word pointer, u64 size)
{
	u8 *bytes = machine_access(m, pointer, 0, size, true);

	while (size--)
		bytes[size] = (u8)machine_random(m);
}

struct word machine_load(struct machine *m, struct word pointer, s64 off, u32 size)
{
	struct word value = machine_number(0);
	const struct region *region;
	const u8 *bytes;
	u64 at;

	pointer.bits += (u64)off;
	bytes = machine_access(m, pointer, 0, size, false);
	memcpy(&value.bits, bytes, size);
	region = &m->regions[pointer.region];
	at = (u64)(bytes - region->bytes);
	if (region->pointers && size == 8 && !(at % 8))
		value.region = region->pointers[at / 8];
	return value;
}

void machine_store(struct machine *m, struct word pointer, s64 off, u32 size, struct word value)
{
	u8 *bytes = machine_access(m, pointer, off, size, true);
	const struct region *region = &m->regions[pointer.region];
	u64 at = (u64)(bytes - region->bytes);

	memcpy(bytes, &value.bits, size);
	if (region->pointers && size == 8 && !(at % 8))
		region->pointers[at / 8] = value.region;
}
