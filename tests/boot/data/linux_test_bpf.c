/*
 * Runs the tables of Linux's lib/test_bpf.c in the interpreter and as compiled programs. Prints a line for each run that is
 * wrong, and a last line with the numbers. test_bpf_instructions.py builds it.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/bpf/jit.h"
#include "trace/bpf/core/map.h"
#include "trace/bpf/core/skb.h"
#include "trace/bpf/helpers/helpers.h"

int linux_test_count(void);
const void *linux_test_program(int i, unsigned *len, const char **name);
bool linux_test_run(int i, int run, const void **data, unsigned *size, bool *plain_memory, unsigned *result);

static u8 code[16 << 20] __aligned(4096);
unsigned cpu_number;

/* What the engines want of the kernel, and no test calls. */
void report_warning(const char *file, int line, const char *func)
{
	fprintf(stderr, "WARN_ON in %s:%d %s\n", file, line, func);
	exit(1);
}
bool bpf_stack_is_low(void)
{
	return false;
}

const struct bpf_prog *bpf_prog_array_get(const struct bpf_map *map, u64 index)
{
	(void)map, (void)index;
	return NULL;
}
#define NO_HELPER(name)                                                                            \
	BPF_CALL_0(name)                                                                           \
	{                                                                                          \
		abort();                                                                           \
	}
NO_HELPER(bpf_get_smp_processor_id)

static bpf_func_t *compile(struct bpf_prog *prog)
{
	struct bpf_jit jit = { .prog = prog };

	jit.offsets = calloc(prog->len + 1, sizeof(u32));
	jit.starts = calloc(2, sizeof(u32));
	jit.flags = calloc(prog->len, 1);
	bpf_jit_measure(&jit);
	if (jit.size > sizeof(code))
		abort();
	bpf_jit_write(&jit, code, (unsigned long)code);
	free(jit.offsets);
	free(jit.starts);
	free(jit.flags);
	return (bpf_func_t *)(unsigned long)code;
}

int main(void)
{
	unsigned right = 0, wrong = 0, programs = 0;

	if (mprotect(code, sizeof(code), PROT_READ | PROT_WRITE | PROT_EXEC))
		return 1;
	for (int i = 0; i < linux_test_count(); i++) {
		struct bpf_subprog main_only = { .stack_depth = MAX_BPF_STACK };
		struct bpf_prog prog = { .subprogs = &main_only, .nr_subprogs = 1 };
		unsigned size, want, compiled, interpreted;
		bool plain_memory;
		const void *data;
		const char *name;

		prog.insns = (struct bpf_insn *)(unsigned long)linux_test_program(i, &prog.len, &name);
		if (!prog.insns)
			continue;
		programs++;
		prog.bpf_func = compile(&prog);
		for (int run = 0; linux_test_run(i, run, &data, &size, &plain_memory, &want); run++) {
			struct bpf_skb skb = { .data = data, .len = size };
			const void *ctx = !data || plain_memory ? data : &skb;

			interpreted = bpf_interpret(ctx, prog.insns);
			compiled = bpf_prog_run(&prog, ctx);
			right += (interpreted == want) + (compiled == want);
			wrong += (interpreted != want) + (compiled != want);
			if (interpreted != want || compiled != want)
				printf("wrong: %s: %#x, interpreted %#x, compiled %#x\n", name, want, interpreted, compiled);
		}
	}
	printf("%u programs, %u right, %u wrong\n", programs, right, wrong);
	return wrong != 0;
}
