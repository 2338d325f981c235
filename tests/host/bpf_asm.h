/* Instructions of eBPF, written as in an assembler. For host tests and fuzzers. */
#pragma once

#include "trace/bpf/core/insn.h"

#define INSN(code_, dst_, src_, off_, imm_)                                                        \
	((struct bpf_insn){ .code = (u8)(code_),                                                   \
			    .dst_reg = (u8)(dst_) & 15,                                            \
			    .src_reg = (u8)(src_) & 15,                                            \
			    .off = (s16)(off_),                                                    \
			    .imm = (s32)(imm_) })
#define ALU64_IMM(op, dst, imm) INSN(BPF_ALU64 | (op) | BPF_K, dst, 0, 0, imm)
#define ALU64_REG(op, dst, src) INSN(BPF_ALU64 | (op) | BPF_X, dst, src, 0, 0)
#define ALU32_IMM(op, dst, imm) INSN(BPF_ALU | (op) | BPF_K, dst, 0, 0, imm)
#define ALU32_REG(op, dst, src) INSN(BPF_ALU | (op) | BPF_X, dst, src, 0, 0)
#define MOV64_IMM(dst, imm)     ALU64_IMM(BPF_MOV, dst, imm)
#define MOV64_REG(dst, src)     ALU64_REG(BPF_MOV, dst, src)
#define MOV32_IMM(dst, imm)     ALU32_IMM(BPF_MOV, dst, imm)
#define MOV32_REG(dst, src)     ALU32_REG(BPF_MOV, dst, src)
/* size: BPF_B, BPF_H, BPF_W, BPF_DW */
#define LOAD(size, dst, src, off)      INSN(BPF_LDX | BPF_MEM | (size), dst, src, off, 0)
#define STORE(size, dst, src, off)     INSN(BPF_STX | BPF_MEM | (size), dst, src, off, 0)
#define STORE_IMM(size, dst, off, imm) INSN(BPF_ST | BPF_MEM | (size), dst, 0, off, imm)
#define ATOMIC(size, op, dst, src, off) INSN(BPF_STX | BPF_ATOMIC | (size), dst, src, off, op)
#define JMP_IMM(op, dst, imm, off)     INSN(BPF_JMP | (op) | BPF_K, dst, 0, off, imm)
#define JMP_REG(op, dst, src, off)     INSN(BPF_JMP | (op) | BPF_X, dst, src, off, 0)
#define JMP32_IMM(op, dst, imm, off)   INSN(BPF_JMP32 | (op) | BPF_K, dst, 0, off, imm)
#define JMP32_REG(op, dst, src, off)   INSN(BPF_JMP32 | (op) | BPF_X, dst, src, off, 0)
#define JUMP(off)                      INSN(BPF_JMP | BPF_JA, 0, 0, off, 0)
#define LONG_JUMP(distance)            INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, distance)
#define CALL(helper)                   INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper)
#define CALL_FUNC(distance)            INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, distance)
#define EXIT()                         INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* Two instructions. */
#define LD_IMM64(dst, kind, low, high)                                                             \
	INSN(BPF_LD | BPF_IMM | BPF_DW, dst, kind, 0, low), INSN(0, 0, 0, 0, high)
#define LD_MAP(dst, fd)        LD_IMM64(dst, BPF_PSEUDO_MAP_FD, fd, 0)
#define LD_VALUE(dst, fd, off) LD_IMM64(dst, BPF_PSEUDO_MAP_VALUE, fd, off)
#define LD_FUNC(dst, distance) LD_IMM64(dst, BPF_PSEUDO_FUNC, distance, 0)
#define LD_CONST(dst, number)  LD_IMM64(dst, 0, (u32)(number), (u64)(number) >> 32)
