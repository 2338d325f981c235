/* `bpf_nest N` lets N programs print inside each other, and prints how often they ran. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../abi/btf.h"
#include "bpf_attach.h"

/* A program that prints, and counts in the map. With off >= 0 only if the word at off of its context is `wanted`. */
static int load_printing(int map, int off, int wanted)
{
	struct bpf_insn insns[] = {
		INSN(BPF_LDX | BPF_DW | BPF_MEM, 2, 1, (short)off, 0),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 2, 0, 14, wanted), /* to the result */
		INSN(BPF_ST | BPF_W | BPF_MEM, 10, 0, -4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 7, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1),
		INSN(BPF_STX | BPF_DW | BPF_ATOMIC, 0, 1, 0, BPF_ADD),
		INSN(BPF_ST | BPF_DW | BPF_MEM, 10, 0, -8, 'n'),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 1, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, -8),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, 2),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_trace_printk),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	unsigned skip = off < 0 ? 2 : 0;
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
				.insns = (uintptr_t)(insns + skip),
				.insn_cnt = sizeof(insns) / sizeof(*insns) - skip,
				.license = (uintptr_t) "GPL" };

	return bpf(BPF_PROG_LOAD, &attr);
}

/* Each print calls all programs of the tracepoint, and each of them prints. */
static void nest(int programs)
{
	int map = new_map();

	for (int i = 0; i < programs; i++)
		if (open_raw("bpf_trace_printk", load_printing(map, -1, 0)) < 0)
			puts("a program is not attached");
	if (open_raw("sys_enter", load_printing(map, 8, SYS_getsid)) < 0)
		puts("the first program is not attached");
	syscall(SYS_getsid, 0);
	printf("%lu runs\n", count_of(map));
}

int main(int argc, char **argv)
{
	nest(argc > 1 ? atoi(argv[1]) : 1);
	return 0;
}
