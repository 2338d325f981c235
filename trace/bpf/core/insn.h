/*
 * The instructions of eBPF, as Documentation/bpf/instruction-set.rst describes them. An instruction
 * has 8 bytes; one that loads 64 bits of constant has 16. Names and numbers are Linux's.
 *
 * Pure: host tests include it, too.
 */
#pragma once

#include "kernel/types.h"

struct bpf_insn {
	u8 code;
	u8 dst_reg : 4, src_reg : 4;
	s16 off;
	s32 imm;
};

/* R0: results. R1 to R5: arguments, lost at a call. R6 to R9: kept over a call. R10: the frame. */
enum {
	BPF_REG_0,
	BPF_REG_1,
	BPF_REG_2,
	BPF_REG_3,
	BPF_REG_4,
	BPF_REG_5,
	BPF_REG_6,
	BPF_REG_7,
	BPF_REG_8,
	BPF_REG_9,
	BPF_REG_10,
	MAX_BPF_REG
};
#define BPF_REG_FP BPF_REG_10

/* code & 7 */
#define BPF_CLASS(code) ((code)&0x07)
#define BPF_LD          0x00
#define BPF_LDX         0x01
#define BPF_ST          0x02
#define BPF_STX         0x03
#define BPF_ALU         0x04 /* on 32 bits; the upper half of the result is 0 */
#define BPF_JMP         0x05
#define BPF_JMP32       0x06 /* compares 32 bits */
#define BPF_ALU64       0x07

/* Of loads and stores: code & 0x18, and code & 0xe0. */
#define BPF_SIZE(code) ((code)&0x18)
#define BPF_W          0x00
#define BPF_H          0x08
#define BPF_B          0x10
#define BPF_DW         0x18
#define BPF_MODE(code) ((code)&0xe0)
#define BPF_IMM        0x00 /* LD | IMM | DW: a constant of 64 bits in two instructions */
#define BPF_ABS        0x20 /* a packet of classic BPF */
#define BPF_IND        0x40
#define BPF_MEM        0x60
#define BPF_ATOMIC     0xc0
/* Not an instruction of programs: a load that the verifier has marked. A fault in it reads 0. */
#define BPF_PROBE_MEM 0x20 /* LDX | PROBE_MEM */

/* Of arithmetic and jumps: code & 0xf0, and code & 8. */
#define BPF_OP(code)  ((code)&0xf0)
#define BPF_SRC(code) ((code)&0x08)
#define BPF_K         0x00 /* the operand is imm */
#define BPF_X         0x08 /* the operand is src_reg */
#define BPF_ADD       0x00
#define BPF_SUB       0x10
#define BPF_MUL       0x20
#define BPF_DIV       0x30 /* unsigned; by 0: 0 */
#define BPF_OR        0x40
#define BPF_AND       0x50
#define BPF_LSH       0x60
#define BPF_RSH       0x70
#define BPF_NEG       0x80
#define BPF_MOD       0x90 /* unsigned; by 0: unchanged */
#define BPF_XOR       0xa0
#define BPF_MOV       0xb0
#define BPF_ARSH      0xc0
#define BPF_END       0xd0 /* imm 16, 32, 64; BPF_TO_LE or BPF_TO_BE */
#define BPF_TO_LE     0x00
#define BPF_TO_BE     0x08

#define BPF_JA   0x00
#define BPF_JEQ  0x10
#define BPF_JGT  0x20
#define BPF_JGE  0x30
#define BPF_JSET 0x40
#define BPF_JNE  0x50
#define BPF_JSGT 0x60
#define BPF_JSGE 0x70
#define BPF_CALL 0x80
#define BPF_EXIT 0x90
#define BPF_JLT  0xa0
#define BPF_JLE  0xb0
#define BPF_JSLT 0xc0
#define BPF_JSLE 0xd0

/* imm of STX | ATOMIC: BPF_ADD, BPF_AND, BPF_OR, BPF_XOR, alone or with BPF_FETCH; and two more. */
#define BPF_FETCH   0x01
#define BPF_XCHG    (0xe0 | BPF_FETCH)
#define BPF_CMPXCHG (0xf0 | BPF_FETCH)

/* src_reg of LD | IMM | DW: what imm means. */
#define BPF_PSEUDO_MAP_FD 1 /* a descriptor of a map */
#define BPF_PSEUDO_MAP_VALUE                                                                       \
	2 /* the same; the value at imm of the second half in its only element */
#define BPF_PSEUDO_BTF_ID        3 /* a variable of the kernel */
#define BPF_PSEUDO_FUNC          4 /* a function of the program, for a callback */
#define BPF_PSEUDO_MAP_IDX       5 /* an index in bpf_attr.fd_array */
#define BPF_PSEUDO_MAP_IDX_VALUE 6
/* src_reg of a call. 0: a helper with the number imm */
#define BPF_PSEUDO_CALL       1 /* a function of the program, imm instructions on */
#define BPF_PSEUDO_KFUNC_CALL 2 /* a function of the kernel by its number in BTF */
/*
 * Not an instruction of programs: JMP | TAIL_CALL. The verifier writes it where a program calls
 * helper 12, tail_call(ctx, map, index).
 */
#define BPF_TAIL_CALL 0xf0

#define MAX_BPF_STACK              512 /* bytes, of all frames of a program together */
#define BPF_MAXINSNS               4096
#define BPF_COMPLEXITY_LIMIT_INSNS 1000000 /* that the verifier looks at, again and again */
#define BPF_MAX_SUBPROGS           256
#define MAX_CALL_FRAMES            8
#define MAX_TAIL_CALL_CNT          33
#define MAX_BPF_FUNC_ARGS          12
#define MAX_BPF_FUNC_REG_ARGS      5
#define MAX_USED_MAPS              64
#define BPF_OBJ_NAME_LEN           16
#define BPF_TAG_SIZE               8

/* Bytes of a load or store. */
static inline u32 bpf_size_to_bytes(u8 code)
{
	static const u8 bytes[] = { 4, 2, 1, 8 };

	return bytes[BPF_SIZE(code) >> 3];
}
static inline bool bpf_insn_is_ld_imm64(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}
static inline bool bpf_insn_is_pseudo_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}
static inline bool bpf_insn_is_helper_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == 0;
}
static inline bool bpf_insn_is_kfunc_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_KFUNC_CALL;
}
static inline bool bpf_insn_is_pseudo_func(const struct bpf_insn *insn)
{
	return bpf_insn_is_ld_imm64(insn) && insn->src_reg == BPF_PSEUDO_FUNC;
}
static inline bool bpf_insn_is_atomic(const struct bpf_insn *insn)
{
	return BPF_CLASS(insn->code) == BPF_STX && BPF_MODE(insn->code) == BPF_ATOMIC;
}
/* A jump with or without a condition; no call, no exit. */
static inline bool bpf_insn_is_jump(const struct bpf_insn *insn)
{
	u8 class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}
static inline bool bpf_insn_is_ja(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_JA) || insn->code == (BPF_JMP32 | BPF_JA);
}
/* How far a jump goes. JMP32 | JA is the long one: it has its distance in imm. */
static inline s32 bpf_jump_distance(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP32 | BPF_JA) ? insn->imm : insn->off;
}
/* Where a jump at that instruction goes. */
static inline u32 bpf_jump_target(const struct bpf_insn *insn, u32 insn_idx)
{
	return insn_idx + 1 + (u32)bpf_jump_distance(insn);
}
/* The constant of LD | IMM | DW, of which the second half follows. */
static inline u64 bpf_imm64(const struct bpf_insn *insn)
{
	return (u64)(u32)insn[1].imm << 32 | (u32)insn->imm;
}
