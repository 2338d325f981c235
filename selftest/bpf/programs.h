/*
 * Programs for the self-tests of eBPF, which no verifier has seen: they may store to any address.
 * Task context.
 */
#pragma once

#include "trace/bpf/attach/trampoline.h"
#include "trace/bpf/core/prog.h"

#define INSN(code_, dst, src, off_, imm_)                                                          \
	((struct bpf_insn){ .code = (code_),                                                       \
			    .dst_reg = (dst),                                                      \
			    .src_reg = (src),                                                      \
			    .off = (off_),                                                         \
			    .imm = (imm_) })
#define MOV_IMM(dst, imm)       INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm)
#define MOV_REG(dst, src)       INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define ADD_REG(dst, src)       INSN(BPF_ALU64 | BPF_ADD | BPF_X, dst, src, 0, 0)
#define LOAD(dst, src, off)     INSN(BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define LOAD_W(dst, src, off)   INSN(BPF_LDX | BPF_MEM | BPF_W, dst, src, off, 0)
#define STORE(dst, off, src)    INSN(BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define ATOMIC_ADD(dst, off, s) INSN(BPF_STX | BPF_ATOMIC | BPF_DW, dst, s, off, BPF_ADD)
#define LOAD_ADDRESS(dst, p)                                                                       \
	INSN(BPF_LD | BPF_IMM | BPF_DW, dst, 0, 0, (s32)(u64)(p)),                                 \
		INSN(0, 0, 0, 0, (s32)((u64)(p) >> 32))
#define CALL(helper) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, (s32)((u64)(helper) - (u64)__bpf_call_base))
#define EXIT         INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* A compiled program with one function, a copy of insns. NULL: no memory. */
struct bpf_prog *test_prog_create(const struct bpf_insn *insns, u32 len);
/* Waits until no trampoline has it, and frees it. */
void test_prog_free(struct bpf_prog *prog);
/* Makes it a program for this kernel function of that name. False: the kernel has no types. */
bool test_prog_aim(struct bpf_prog *prog, enum bpf_attach_type type, const char *name);
