/*
 * Tables of small programs that the verifier of eBPF must accept or refuse, with what it says. The
 * hostile ones are the ideas of programs that once got the better of a verifier.
 */
#pragma once

#include "test.h"

#include "bpf_asm.h"
#include "bpf_world.h"

struct program {
	const char *name;
	const char *error; /* in the log; NULL: it must be accepted */
	u32 len;
	struct bpf_insn insns[40];
};
/* For static tables: gcc takes a second to compile tables on the stack. */
#define PROGRAM(name, error, ...)                                                                  \
	{                                                                                          \
		name, error, ARRAY_SIZE(((const struct bpf_insn[]){ __VA_ARGS__ })), { __VA_ARGS__ } \
	}
#define CHECK(programs) check_programs(programs, sizeof(programs) / sizeof(*(programs)))

static struct world_check check;

static inline void check_programs(const struct program *p, size_t count)
{
	u32 failures = 0;

	for (; count--; p++) {
		int err;

		memset(&check, 0, sizeof(check));
		check.log_level = BPF_LOG_LEVEL2;
		err = world_check(&check, p->insns, p->len);
		if (!err != !p->error || (err && !strstr(check.log, p->error))) {
			print_error("%s: %d, expected %s\n%s", p->name, err, p->error ?: "success",
				    check.log);
			failures++;
		}
		world_end(&check);
		assert_int_equal(world_leaks(), 0);
	}
	assert_int_equal(failures, 0);
}

/* R0 = a value of the map in `fd`, whose key is 0 and its size 4 or 8; leaves the program at NULL. */
#define LOOKUP(fd)                                                                                 \
	STORE_IMM(BPF_DW, 10, -8, 0), MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8), LD_MAP(1, fd),  \
		CALL(BPF_FUNC_map_lookup_elem), JMP_IMM(BPF_JNE, 0, 0, 1), EXIT()
#define RETURN_0 MOV64_IMM(0, 0), EXIT()
/* A number of which nothing is known. */
#define UNKNOWN(dst) LOAD(BPF_DW, dst, 6, 0)
/* R6 = the context: the first instruction of programs that use UNKNOWN() */
#define KEEP_CTX MOV64_REG(6, 1)
