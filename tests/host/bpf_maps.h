/*
 * The maps and functions of generated programs: for the verifier on the host, and for a program in the
 * guest that makes such maps, with these descriptors.
 */
#pragma once

#include "kernel/types.h"
#include "trace/bpf/core/insn.h"

/* X(descriptor, type, bytes of a key, of a value, entries, flags) */
#define WORLD_MAPS(X)                                                                              \
	X(WORLD_ARRAY, ARRAY, 4, 48, 4, 0)                                                         \
	X(WORLD_HASH, HASH, 8, 24, 3, 0)                                                           \
	X(WORLD_PERCPU_ARRAY, PERCPU_ARRAY, 4, 16, 2, 0)                                           \
	X(WORLD_RINGBUF, RINGBUF, 0, 0, 4096, 0)                                                   \
	X(WORLD_RDONLY, ARRAY, 4, 32, 1, BPF_F_RDONLY_PROG) /* frozen: WORLD_TEXT */               \
	X(WORLD_ARRAY_OF_MAPS, ARRAY_OF_MAPS, 4, 4, 2, 0)   /* of arrays like WORLD_ARRAY */       \
	X(WORLD_PROG_ARRAY, PROG_ARRAY, 4, 4, 4, 0)                                                \
	X(WORLD_WRONLY, ARRAY, 4, 16, 1, BPF_F_WRONLY_PROG)                                        \
	X(WORLD_PERF_EVENTS, PERF_EVENT_ARRAY, 4, 4, 4, 0)                                         \
	X(WORLD_STACKS, STACK_TRACE, 4, 80, 4, 0)                                                  \
	X(WORLD_QUEUE, QUEUE, 0, 8, 4, 0)
#define WORLD_FIRST_MAP       10
#define WORLD_NUMBER(fd, ...) fd,
enum { WORLD_BEFORE_MAPS = WORLD_FIRST_MAP - 1, WORLD_MAPS(WORLD_NUMBER) WORLD_MAPS_END };
#undef WORLD_NUMBER
#define WORLD_TEXT "%d of %d\0text"

/*
 * BTF in which each function is static and returns an int: type 3. Words of the host, which are the
 * kernel's.
 */
static const struct world_types {
	u16 magic;
	u8 version, flags;
	u32 hdr_len, type_off, type_len, str_off, str_len;
	u32 types[23];
	char strings[8];
} world_types = {
	0xeb9f,
	1,
	0,
	24,
	0,
	92,
	92,
	8,
	{ 1, 1 << 24, 4, 1 << 24 | 32, /* 1: int */
	  0, 13 << 24, 1,              /* 2: int (void) */
	  5, 12 << 24, 2,              /* 3: f, static */
	  0, 2 << 24, 1,               /* 4: int * */
	  0, 13 << 24 | 2, 1, 5, 1, 5, 4, /* 5: int (int f, int *f) */
	  5, 12 << 24 | 1, 5 },        /* 6: f, global */
	"\0int\0f\0",
};
#define WORLD_FUNC_TYPE   3
#define WORLD_GLOBAL_TYPE 6

/* Marks where functions of the program begin. */
static inline void world_find_functions(const struct bpf_insn *insns, u32 len, bool *starts)
{
	starts[0] = true;
	for (u32 i = 0; i < len; i++) {
		u32 target = i + 1 + (u32)insns[i].imm;

		if ((bpf_insn_is_pseudo_call(&insns[i]) ||
		     (bpf_insn_is_ld_imm64(&insns[i]) && insns[i].src_reg == BPF_PSEUDO_FUNC)) &&
		    target < len)
			starts[target] = true;
	}
}
