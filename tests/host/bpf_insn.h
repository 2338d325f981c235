/* Programs of eBPF as arrays, for tests: names for the instructions. */
#pragma once

#include "trace/bpf/core/insn.h"

#define INSN(code_, dst, src, off_, imm_)                                                          \
	((struct bpf_insn){ .code = (u8)(code_),                                                   \
			    .dst_reg = (dst),                                                      \
			    .src_reg = (src),                                                      \
			    .off = (off_),                                                         \
			    .imm = (imm_) })

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FP };

#define ALU64_K(op, dst, imm)         INSN(BPF_ALU64 | BPF_##op | BPF_K, dst, 0, 0, imm)
#define ALU64_X(op, dst, src)         INSN(BPF_ALU64 | BPF_##op | BPF_X, dst, src, 0, 0)
#define ALU32_K(op, dst, imm)         INSN(BPF_ALU | BPF_##op | BPF_K, dst, 0, 0, imm)
#define ALU32_X(op, dst, src)         INSN(BPF_ALU | BPF_##op | BPF_X, dst, src, 0, 0)
#define JMP_K(op, dst, imm, off)      INSN(BPF_JMP | BPF_##op | BPF_K, dst, 0, off, imm)
#define JMP_X(op, dst, src, off)      INSN(BPF_JMP | BPF_##op | BPF_X, dst, src, off, 0)
#define JMP32_K(op, dst, imm, off)    INSN(BPF_JMP32 | BPF_##op | BPF_K, dst, 0, off, imm)
#define JMP32_X(op, dst, src, off)    INSN(BPF_JMP32 | BPF_##op | BPF_X, dst, src, off, 0)
#define JA(off)                       INSN(BPF_JMP | BPF_JA, 0, 0, off, 0)
#define JA32(distance)                INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, distance)
#define LDX(size, dst, src, off)      INSN(BPF_LDX | BPF_MEM | BPF_##size, dst, src, off, 0)
#define STX(size, dst, off, src)      INSN(BPF_STX | BPF_MEM | BPF_##size, dst, src, off, 0)
#define ST(size, dst, off, imm)       INSN(BPF_ST | BPF_MEM | BPF_##size, dst, 0, off, imm)
#define ATOMIC(size, op, dst, off, s) INSN(BPF_STX | BPF_ATOMIC | BPF_##size, dst, s, off, op)
#define CALL_FUNC(off)                INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, off)
#define EXIT()                        INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* Two instructions. */
#define LD_IMM64(dst, value)                                                                       \
	INSN(BPF_LD | BPF_IMM | BPF_DW, dst, 0, 0, (s32)(value)),                                  \
		INSN(0, 0, 0, 0, (s32)((u64)(value) >> 32))
