/*
 * The verifier of eBPF, with a machine that runs programs and believes nothing.
 * sources: tests/host/bpf_world.c tests/fuzz/bpf_machine*.c kernel/btf/btf.c trace/bpf/helpers/names.c trace/bpf/helpers/protos.c trace/bpf/helpers/kprobe.c trace/bpf/helpers/tracepoint.c trace/bpf/helpers/perf_event.c trace/bpf/helpers/raw_tracepoint.c trace/bpf/helpers/socket_filter.c trace/bpf/verifier/*.c trace/bpf/load/*.c
 *
 * lab18_verifier reads a program as hexadecimal digits from standard input, or, with "own", takes those of bpf_break_in.h. Of each it
 * prints whether it was taken, what harm it has done, and the last line of the log that tells why; labs/tests/lab18.py judges that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/bpf_machine.h"
#include "tests/host/bpf_break_in.h"
#include "tests/host/bpf_world.h"

#define RUNS 200

static struct world_check check;

static void ignore(const struct machine *m, u32 pc) { (void)m, (void)pc; }

/* Runs the program with other numbers each time. The machine ends its process at the first harm. */
static bool does_harm(const struct bpf_insn *insns)
{
	static struct bpf_subprog whole = { .stack_depth = MAX_BPF_STACK };
	static struct machine machine;
	int status;

	fflush(stdout);
	if (!fork()) {
		if (!check.prog.subprogs) { /* it was refused: runs as it is */
			check.prog.subprogs = &whole;
			check.prog.nr_subprogs = 1;
			check.prog.verified_insns = MACHINE_STEPS;
		}
		machine.insns = insns;
		machine.prog = &check.prog;
		machine.observe = ignore;
		for (u32 i = 0; i < RUNS; i++)
			machine_run(&machine, 0x9e3779b97f4a7c15ULL * (i + 1));
		_exit(0);
	}
	wait(&status);
	return WIFSIGNALED(status);
}

static void judge(const struct bpf_insn *insns, u32 len, const char *words)
{
	int err;

	check.type = BPF_PROG_TYPE_KPROBE;
	check.log_level = BPF_LOG_LEVEL1;
	err = world_check(&check, insns, len);
	printf("%s %s\n", err ? "refused" : "taken", does_harm(insns) ? "harm" : "no harm");
	printf("words %d log %s\n", *words && strstr(check.log, words), check.log);
	world_end(&check);
}

int main(int argc, char **argv)
{
	static struct bpf_insn insns[256];
	u8 *byte = (u8 *)insns;
	unsigned value;

	if (argc > 1 && !strcmp(argv[1], "own")) {
		for (size_t i = 0; i < ARRAY_SIZE(break_ins); i++) {
			printf("PROGRAM ");
			judge(break_ins[i].insns, break_in_len(&break_ins[i]), break_ins[i].words);
		}
		return 0;
	}
	while (byte < (u8 *)(insns + 255) && scanf("%2x", &value) == 1) {
		int next = getchar();

		*byte++ = (u8)value;
		if (next != '\n') {
			ungetc(next, stdin);
			continue;
		}
		printf("PROGRAM ");
		judge(insns, (u32)(byte - (u8 *)insns) / 8, "");
		memset(insns, 0, sizeof(insns));
		byte = (u8 *)insns;
	}
	return 0;
}
