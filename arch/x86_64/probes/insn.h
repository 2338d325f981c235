/*
 * A decoder of x86-64 instructions in 64-bit mode: how long an instruction is, where its parts are,
 * and where it goes to. For probes, which move instructions to other places.
 *
 * It follows the opcode maps of Intel SDM 2D, appendix A, with VEX, EVEX and AMD's XOP. It
 * allocates nothing, and reads only the bytes that it is given. Any context. What it accepts, a CPU
 * may still refuse with #UD: it knows of no features of CPUs.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/types.h"

#define MAX_INSN_SIZE 15 /* a longer one gives #GP (SDM 2A, 2.3.11) */

/* The map that an opcode is in. */
enum insn_map {
	INSN_MAP_1BYTE, /* without an escape */
	INSN_MAP_0F,
	INSN_MAP_0F38,
	INSN_MAP_0F3A,
	INSN_MAP_EVEX5 = 5, /* half-precision numbers */
	INSN_MAP_EVEX6,
	INSN_MAP_XOP8 = 8,
	INSN_MAP_XOP9,
	INSN_MAP_XOPA,
};

/* How an instruction goes on. */
enum insn_flow {
	INSN_NEXT,      /* with the instruction behind it */
	INSN_JMP,       /* at insn_target() */
	INSN_JCC,       /* there, or with the next one: by the flags */
	INSN_LOOP,      /* the same: loop, loope, loopne and jrcxz, by rcx */
	INSN_CALL,      /* at insn_target(); the address behind is pushed */
	INSN_JMP_MODRM, /* at an address in a register or in memory */
	INSN_CALL_MODRM,
	INSN_RET,
	INSN_OTHER, /* far transfers, traps, iret, syscall and its kin, hlt, xbegin */
};

struct insn {
	u8 length;    /* of the whole */
	u8 opcode_at; /* the offset of the opcode's last byte */
	u8 modrm_at;  /* 0: there is no ModRM byte */
	u8 disp_at;   /* of the displacement; 0: none */
	u8 disp_size; /* 1, 4; 8 for mov with an absolute address (4 with addr32) */
	u8 imm_at;    /* of the immediate operands; 0: none */
	u8 imm_size;  /* of all of them, in bytes */
	u8 map;       /* enum insn_map */
	u8 opcode;
	u8 modrm, sib; /* 0 if there is none */
	u8 rex;        /* 0: none. With VEX, EVEX and XOP: their W, R, X and B as REX has them */
	u8 vex;        /* 0, or the first byte of the prefix: 0xc5, 0xc4, 0x62, 0x8f */
	bool data16;   /* prefix 66 */
	bool addr32;   /* prefix 67 */
	bool lock;     /* prefix f0 */
	u8 rep;        /* 0, f2 or f3: the last one of them */
	u8 segment;    /* 0, 64 (fs) or 65 (gs): the others mean nothing in 64-bit mode */
	bool rip;      /* the displacement is relative to the next instruction */
	s32 disp;      /* of 1 or 4 bytes, sign-extended */
	s64 imm;       /* of 1, 2, 4 or 8 bytes, sign-extended; the first operand of enter */
};

/*
 * Decodes the instruction at text, of which size bytes may be read. 0; -EINVAL: no instruction
 * starts with these bytes; -ENODATA: it does not end within them.
 */
int insn_decode(struct insn *insn, const u8 *text, size_t size);

enum insn_flow insn_flow(const struct insn *insn);
/* The breakpoint handler of probes uses what follows, so that none of it may be a function. */

/* Where a jump or call with a relative operand goes to, if it lies at ip. */
static __always_inline unsigned long insn_target(const struct insn *insn, unsigned long ip)
{
	return ip + insn->length + (unsigned long)insn->imm;
}
/* What a displacement with insn->rip stands for, if the instruction lies at ip. */
static __always_inline unsigned long insn_rip_address(const struct insn *insn, unsigned long ip)
{
	unsigned long address = ip + insn->length + (unsigned long)(long)insn->disp;

	return insn->addr32 ? (u32)address : address;
}
static __always_inline u8 insn_modrm_mod(const struct insn *insn)
{
	return insn->modrm >> 6;
}
/* Without the bit of REX. */
static __always_inline u8 insn_modrm_reg(const struct insn *insn)
{
	return insn->modrm >> 3 & 7;
}
static __always_inline u8 insn_modrm_rm(const struct insn *insn)
{
	return insn->modrm & 7;
}
