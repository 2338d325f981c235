/* The machine that runs verified programs: calls of helpers, after their prototypes. */
#include <stdlib.h>
#include <string.h>

#include "bpf_machine.h"
#include "tests/host/bpf_world.h"

#define MAX_ROUNDS 6 /* of a loop by callbacks, so that runs end */

static const struct bpf_map *map_of(const struct machine *m, struct word word)
{
	if (word.region < 0 || m->regions[word.region].kind != REGION_MAP ||
	    m->regions[word.region].base != word.bits)
		machine_fail(m, "a helper gets %#llx as a map", (unsigned long long)word.bits);
	return m->regions[word.region].map;
}

static bool is_null(struct word word)
{
	return word.region < 0 && !word.bits;
}

/* Memory that the helper uses as the type of the argument says. */
static void use_memory(struct machine *m, struct word pointer, u32 type, u64 size)
{
	if (type & ARG_MEM_UNINIT) {
		machine_fill(m, pointer, size);
		return;
	}
	machine_read(m, pointer, size);
	if (!(type & ARG_MEM_RDONLY))
		machine_access(m, pointer, 0, size, true);
}

static void check_text(struct machine *m, struct word pointer)
{
	const struct region *region;
	const u8 *text = machine_access(m, pointer, 0, 1, false);

	region = &m->regions[pointer.region];
	if (!region->map || !bpf_map_is_rdonly(region->map))
		machine_fail(m, "a text may change");
	if (!memchr(text, 0, (size_t)(region->bytes + region->size - text)))
		machine_fail(m, "a text has no end");
}

static void release(struct machine *m, struct word pointer)
{
	struct region *region;

	if (pointer.region < 0 || m->regions[pointer.region].kind != REGION_RECORD)
		machine_fail(m, "a helper gets %#llx as a record",
			     (unsigned long long)pointer.bits);
	region = &m->regions[pointer.region];
	if (!region->live || region->base != pointer.bits)
		machine_fail(m, "a record is given up twice, or not from its start");
	region->live = false;
	m->references--;
}

static void use_argument(struct machine *m, const struct bpf_func_proto *proto,
			 const struct word *args, u32 i, const struct bpf_map *map)
{
	u32 type = proto->arg_type[i], base = type & BPF_ARG_BASE;
	struct word word = args[i];
	u64 size = i < 4 ? args[i + 1].bits : 0;
	u32 next = i < 4 ? proto->arg_type[i + 1] & BPF_ARG_BASE : 0;

	if (word.region == WORD_NOT_INIT)
		machine_fail(m, "argument %u of %s is not initialised", i + 1, proto->name);
	if (type & ARG_MAYBE_NULL && is_null(word)) {
		if (base == ARG_PTR_TO_MEM &&
		    (next == ARG_CONST_SIZE || next == ARG_CONST_SIZE_OR_ZERO) && size)
			machine_fail(m, "NULL with %llu bytes", (unsigned long long)size);
		return;
	}
	switch (base) {
	case ARG_PTR_TO_MAP_KEY:
		machine_read(m, word, map->key_size);
		break;
	case ARG_PTR_TO_MAP_VALUE:
		use_memory(m, word, type | (type & ARG_MEM_UNINIT ? 0 : ARG_MEM_RDONLY),
			   map->value_size);
		break;
	case ARG_PTR_TO_MEM:
		/* Of no bytes the pointer may be anything. */
		if (size)
			use_memory(m, word, type, size);
		else if (next != ARG_CONST_SIZE_OR_ZERO)
			machine_fail(m, "a size is 0");
		break;
	case ARG_PTR_TO_CTX:
		if (word.region != m->ctx || word.bits != m->regions[m->ctx].base)
			machine_fail(m, "a helper gets %#llx as the context",
				     (unsigned long long)word.bits);
		break;
	case ARG_PTR_TO_ALLOC_MEM:
		release(m, word);
		break;
	case ARG_PTR_TO_LONG:
		machine_fill(m, word, 8);
		break;
	case ARG_PTR_TO_STACK:
		if (word.region < 0 || m->regions[word.region].kind != REGION_STACK)
			machine_fail(m, "a context of a callback is not in the stack");
		break;
	case ARG_PTR_TO_CONST_STR:
		check_text(m, word);
		break;
	}
}

static struct word pointer_to(const struct machine *m, s32 region)
{
	return (struct word){ m->regions[region].base, region };
}

static struct word lookup(struct machine *m, const struct bpf_map *map)
{
	int fd;

	if (machine_random(m) % 4 == 0)
		return machine_number(0);
	if (map->map_type == BPF_MAP_TYPE_ARRAY_OF_MAPS) {
		s32 inner = machine_region(m, REGION_MAP, 0);

		m->regions[inner].map = map->inner_map_meta;
		return pointer_to(m, inner);
	}
	for (fd = WORLD_ARRAY; fd < WORLD_MAPS_END; fd++)
		if (world_map(fd) == map)
			return pointer_to(m, m->values[fd - WORLD_ARRAY][machine_random(m) % 2]);
	fd = machine_region(m, REGION_VALUE, map->value_size); /* of an inner map */
	m->regions[fd].map = map;
	return pointer_to(m, fd);
}

static struct word reserve(struct machine *m, u64 size)
{
	s32 record;

	if (size > 1 << 20 || machine_random(m) % 4 == 0)
		return machine_number(0);
	record = machine_region(m, REGION_RECORD, (u32)size);
	m->references++;
	return pointer_to(m, record);
}

/* Calls the function up to `most` times, until it returns 1. */
static struct word call_back(struct machine *m, u32 pc, const struct word *args, u64 most)
{
	struct word callback[5] = { { 0, WORD_NUMBER },
				    args[2],
				    { 0, WORD_NOT_INIT },
				    { 0, WORD_NOT_INIT },
				    { 0, WORD_NOT_INIT } };
	const struct bpf_map *map = NULL;
	s32 key = -1;
	u64 i;

	if (m->insns[pc].imm == BPF_FUNC_for_each_map_elem) {
		map = map_of(m, args[0]);
		key = machine_region(m, REGION_KEY, map->key_size);
		m->regions[key].read_only = true;
		most = machine_random(m) % 4;
	}
	for (i = 0; i < most && !m->given_up; i++) {
		if (i == MAX_ROUNDS) {
			m->given_up = true;
			break;
		}
		callback[0] = machine_number(i);
		if (map) {
			callback[0] = args[0];
			callback[1] = pointer_to(m, key);
			do
				callback[2] = lookup(m, map);
			while (is_null(callback[2]));
			callback[3] = args[2];
		}
		if (machine_callback(m, pc, args[1], callback).bits)
			return machine_number(i + 1);
	}
	return machine_number(i);
}

/* Results that the verifier bounds by a size: a negative error, or up to size. */
static struct word length_or_error(struct machine *m, u64 size)
{
	u64 random = machine_random(m);

	return machine_number(random & 1 ? (u64) - (s64)(random % 4095 + 1) : random % (size + 1));
}

static struct word result_of(struct machine *m, u32 pc, const struct word *args,
			     const struct bpf_func_proto *proto)
{
	switch (m->insns[pc].imm) {
	case BPF_FUNC_map_lookup_elem:
	case BPF_FUNC_map_lookup_percpu_elem:
		return lookup(m, map_of(m, args[0]));
	case BPF_FUNC_ringbuf_reserve:
		return reserve(m, args[1].bits);
	case BPF_FUNC_loop:
		if ((u32)args[0].bits > 1 << 23)
			return machine_number((u64)-7);
		return call_back(m, pc, args, (u32)args[0].bits);
	case BPF_FUNC_for_each_map_elem:
		return call_back(m, pc, args, 0);
	case BPF_FUNC_tail_call: /* to a program that is not there; or the run ends here */
		m->given_up = machine_random(m) & 1;
		return machine_number(machine_random(m));
	case BPF_FUNC_get_stack:
	case BPF_FUNC_get_task_stack:
		return length_or_error(m, args[2].bits);
	case BPF_FUNC_probe_read_str:
	case BPF_FUNC_probe_read_kernel_str:
	case BPF_FUNC_probe_read_user_str:
		return length_or_error(m, args[1].bits);
	}
	if (proto->ret_type != RET_INTEGER && proto->ret_type != RET_VOID)
		machine_fail(m, "the machine does not know what %s returns", proto->name);
	return machine_number(machine_random(m));
}

void machine_helper(struct machine *m, u32 pc)
{
	const struct bpf_func_proto *proto =
		bpf_get_func_proto((u32)m->insns[pc].imm, m->prog);
	const struct bpf_map *map = NULL;
	struct word args[5], result;
	u32 i;

	if (!proto)
		machine_fail(m, "helper %d is not for this type", m->insns[pc].imm);
	memcpy(args, &m->regs[BPF_REG_1], sizeof(args));
	for (i = 0; i < 5 && proto->arg_type[i]; i++) {
		if ((proto->arg_type[i] & BPF_ARG_BASE) == ARG_CONST_MAP_PTR)
			map = map_of(m, args[i]);
		use_argument(m, proto, args, i, map);
	}
	result = result_of(m, pc, args, proto);
	for (i = BPF_REG_1; i <= BPF_REG_5; i++)
		m->regs[i].region = WORD_NOT_INIT;
	m->regs[BPF_REG_0] = result;
	if (proto->ret_type == RET_VOID)
		m->regs[BPF_REG_0].region = WORD_NOT_INIT;
}
