/*
 * The verifier of eBPF, under libFuzzer, with an oracle. The bytes become a program (bpf_generate.c).
 * If the verifier takes it, a machine that believes nothing runs it some times: no access outside of its
 * memory, no more steps than were verified, no reference left.
 *
 * Each program is checked twice. In the first check each number counts as precise and each slot
 * of the stack as read, so that the states that were walked describe all runs: the machine compares itself with them at each instruction. The
 * second check is the real one. It must not take what the first one refused, or it forgot that a number
 * or a slot matters.
 *
 * runs: 2500
 * flags: -O1
 * libraries: -Wl,--wrap=is_precise,--wrap=is_slot_read,--wrap=scalar_branch
 * sources: tests/host/bpf_world.c kernel/btf/btf.c
 * sources: trace/bpf/helpers/names.c trace/bpf/helpers/protos.c trace/bpf/helpers/kprobe.c
 * sources: trace/bpf/helpers/tracepoint.c trace/bpf/helpers/perf_event.c
 * sources: trace/bpf/helpers/raw_tracepoint.c trace/bpf/helpers/socket_filter.c
 * sources: tests/fuzz/bpf_generate.c tests/fuzz/bpf_states.c
 * sources: tests/fuzz/bpf_machine.c tests/fuzz/bpf_machine_memory.c tests/fuzz/bpf_machine_helpers.c
 * sources: trace/bpf/verifier/[a-z]*.c trace/bpf/load/[a-z]*.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/errno.h"
#include "tests/fuzz/bpf_generate.h"
#include "tests/fuzz/bpf_states.h"
#include "tests/host/bpf_world.h"

#define RUNS 4
/* A program that needs more states than these takes too long. */
#define MAX_WALKED 4000

static bool all_precise;
static u32 walked;

bool __real_is_precise(const struct bpf_reg_state *reg);
bool __wrap_is_precise(const struct bpf_reg_state *reg);
bool __wrap_is_precise(const struct bpf_reg_state *reg)
{
	return all_precise || __real_is_precise(reg);
}
bool __real_is_slot_read(const struct bpf_stack_state *slot);
bool __wrap_is_slot_read(const struct bpf_stack_state *slot);
bool __wrap_is_slot_read(const struct bpf_stack_state *slot)
{
	return all_precise || __real_is_slot_read(slot);
}

/* The verifier walks ways that no run goes, too, as Linux does. What it knows there has no meaning. */
static bool walks_impossible_way;

void __real_scalar_branch(struct bpf_scalar *dst, struct bpf_scalar *src, u8 op, bool is_32,
			  bool taken);
void __wrap_scalar_branch(struct bpf_scalar *dst, struct bpf_scalar *src, u8 op, bool is_32,
			  bool taken);
void __wrap_scalar_branch(struct bpf_scalar *dst, struct bpf_scalar *src, u8 op, bool is_32,
			  bool taken)
{
	__real_scalar_branch(dst, src, op, is_32, taken);
	walks_impossible_way |= scalar_is_empty(dst);
}

static void watch(struct bpf_verifier_log *log, struct bpf_verifier_env *env)
{
	(void)log;
	world_interrupted = ++walked > MAX_WALKED;
	if (all_precise)
		states_keep(env);
}

static void ignore(const struct machine *m, u32 pc)
{
	(void)m, (void)pc;
}

static void run(const struct world_check *check, const struct generated *program,
		void (*observe)(const struct machine *m, u32 pc))
{
	static struct machine machine;
	u32 i;

	machine.insns = program->insns;
	machine.prog = &check->prog;
	machine.observe = observe;
	for (i = 0; i < RUNS; i++)
		machine_run(&machine, 0x9e3779b97f4a7c15ULL * (i + 1));
}

static int check_program(struct world_check *check, const struct generated *program)
{
	walked = 0;
	walks_impossible_way = false;
	world_interrupted = false;
	check->watch = watch;
	check->type = program->type;
	check->flags = program->state_freq ? BPF_F_TEST_STATE_FREQ : 0;
	return world_check(check, program->insns, program->len);
}

static void print_program(const struct generated *program)
{
	char text[128];
	u32 i;

	for (i = 0; i < program->len; i++) {
		bpf_disasm(&program->insns[i], text, sizeof(text));
		fprintf(stderr, "%3u: %s\n", i, text);
		i += bpf_insn_is_ld_imm64(&program->insns[i]);
	}
}

/*
 * Of a spilled pointer no part may be read, but the real check may take it for a number that is there on
 * another way. That does no harm.
 */
static bool is_about_a_pointer(const struct world_check *found, const struct generated *program)
{
	static struct world_check again;

	again.type = found->type;
	again.log_level = BPF_LOG_LEVEL1;
	all_precise = true;
	check_program(&again, program);
	world_end(&again);
	states_free();
	all_precise = false;
	return strstr(again.log, "invalid size of register fill");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct world_check check;
	static struct generated program;
	bool comparable;
	int precise_err, err;

	bpf_generate(&program, data, size);
	check.log_level = getenv("PRINT") ? BPF_LOG_LEVEL2 : 0;
	all_precise = true;
	precise_err = check_program(&check, &program);
	if (getenv("PRINT"))
		print_program(&program), fprintf(stderr, "%d\n%s", precise_err, check.log);
	comparable = precise_err != -E2BIG && precise_err != -EAGAIN && !walks_impossible_way;
	if (!precise_err)
		run(&check, &program, states_check);
	world_end(&check);
	states_free();

	all_precise = false;
	err = check_program(&check, &program);
	if (!err) {
		if (precise_err && comparable && !is_about_a_pointer(&check, &program)) {
			fprintf(stderr, "taken, but refused when all numbers are precise: %d\n",
				precise_err);
			abort();
		}
		run(&check, &program, ignore);
	}
	world_end(&check);
	if (world_leaks())
		abort();
	return 0;
}
