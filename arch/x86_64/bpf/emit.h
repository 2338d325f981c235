/*
 * Encodes x86-64 instructions (Intel SDM 2, 2.1 and 2.2) into a buffer, for the JIT and for
 * trampolines. Without a buffer it only counts bytes: a first pass learns the size.
 *
 * Pure: host tests include it, too.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/types.h"

struct emitter {
	u8 *buffer;            /* NULL: count only */
	unsigned long address; /* where the first byte will be executed */
	u32 at;                /* bytes so far */
};

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* How an instruction is encoded. */
#define X86_W    1 /* 64 bits; else 32 */
#define X86_16   2 /* 16 bits */
#define X86_BYTE 4 /* a register of 8 bits: sil, dil want a REX prefix */
#define X86_LOCK 8
#define X86_GS   16 /* memory of this CPU */

static inline void emit_byte(struct emitter *e, u32 byte)
{
	if (e->buffer)
		e->buffer[e->at] = (u8)byte;
	e->at++;
}

/* The lower n bytes of value, the lowest first. */
static inline void emit_bytes(struct emitter *e, u64 value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		emit_byte(e, (u8)(value >> 8 * i));
}

/* Prefixes and opcode. An opcode above 0xff begins with 0x0f. */
static inline void emit_opcode(struct emitter *e, u32 how, u32 opcode, u32 reg, u32 index, u32 rm)
{
	u32 rex = (how & X86_W) << 3 | reg >> 3 << 2 | index >> 3 << 1 | rm >> 3;

	if (how & X86_LOCK)
		emit_byte(e, 0xf0);
	if (how & X86_GS)
		emit_byte(e, 0x65);
	if (how & X86_16)
		emit_byte(e, 0x66);
	if (rex || how & X86_BYTE)
		emit_byte(e, 0x40 | rex);
	if (opcode > 0xff)
		emit_byte(e, opcode >> 8);
	emit_byte(e, opcode);
}

/* An instruction on two registers. reg may be a digit of the opcode. */
static inline void emit_rr(struct emitter *e, u32 how, u32 opcode, u32 reg, u32 rm)
{
	emit_opcode(e, how, opcode, reg, 0, rm);
	emit_byte(e, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

static inline bool fits_s8(s64 value)
{
	return value == (s8)value;
}

/* An instruction on a register and the memory at base + disp. */
static inline void emit_rm(struct emitter *e, u32 how, u32 opcode, u32 reg, u32 base, s32 disp)
{
	u32 mod = disp == 0 && (base & 7) != RBP ? 0 : fits_s8(disp) ? 1 : 2;

	emit_opcode(e, how, opcode, reg, 0, base);
	emit_byte(e, mod << 6 | (reg & 7) << 3 | (base & 7));
	if ((base & 7) == RSP)
		emit_byte(e, 0x24); /* SIB: no index */
	if (mod)
		emit_bytes(e, (u32)disp, mod == 1 ? 1 : 4);
}

/* The same at an address that is a sign-extended 32-bit number. */
static inline void emit_rabs(struct emitter *e, u32 how, u32 opcode, u32 reg, s32 address)
{
	emit_opcode(e, how, opcode, reg, 0, 0);
	emit_byte(e, (reg & 7) << 3 | RSP);
	emit_byte(e, 0x25); /* SIB: neither base nor index */
	emit_bytes(e, (u32)address, 4);
}

static inline void emit_push(struct emitter *e, u32 reg)
{
	emit_opcode(e, 0, 0x50 | (reg & 7), 0, 0, reg);
}

static inline void emit_pop(struct emitter *e, u32 reg)
{
	emit_opcode(e, 0, 0x58 | (reg & 7), 0, 0, reg);
}

static inline void emit_mov(struct emitter *e, u32 how, u32 dst, u32 src)
{
	emit_rr(e, how, 0x89, src, dst);
}

/* mov reg, value, in the shortest way. Changes flags. */
static inline void emit_mov_imm(struct emitter *e, u32 reg, u64 value)
{
	if (!value) {
		emit_rr(e, 0, 0x31, reg, reg);
	} else if (value == (u32)value) {
		emit_opcode(e, 0, 0xb8 | (reg & 7), 0, 0, reg);
		emit_bytes(e, value, 4);
	} else if (value == (u64)(s64)(s32)value) {
		emit_rr(e, X86_W, 0xc7, 0, reg);
		emit_bytes(e, value, 4);
	} else {
		emit_opcode(e, X86_W, 0xb8 | (reg & 7), 0, 0, reg);
		emit_bytes(e, value, 8);
	}
}

/* add, or, and, sub, xor, cmp with a constant; digit: which of them. */
enum { X86_ADD = 0, X86_OR = 1, X86_AND = 4, X86_SUB = 5, X86_XOR = 6, X86_CMP = 7 };
static inline void emit_alu_imm(struct emitter *e, u32 how, u32 digit, u32 reg, s32 imm)
{
	emit_rr(e, how, fits_s8(imm) ? 0x83 : 0x81, digit, reg);
	emit_bytes(e, (u32)imm, fits_s8(imm) ? 1 : 4);
}

/* call or jmp (0xe8, 0xe9) to an address within 2 GiB. */
static inline void emit_near(struct emitter *e, u32 opcode, unsigned long target)
{
	emit_byte(e, opcode);
	emit_bytes(e, target - (e->address + e->at + 4), 4);
}
static inline void emit_call(struct emitter *e, unsigned long target)
{
	emit_near(e, 0xe8, target);
}

/* A forward jump over code that follows at once: emit_skip(), the code, emit_skip_end(). */
enum {
	CC_B = 2,
	CC_AE = 3,
	CC_E = 4,
	CC_NE = 5,
	CC_BE = 6,
	CC_A = 7,
	CC_S = 8,
	CC_NS = 9,
	CC_L = 12,
	CC_GE = 13,
	CC_LE = 14,
	CC_G = 15,
	CC_ALWAYS = 16
};
static inline u32 emit_skip(struct emitter *e, u32 condition)
{
	emit_byte(e, condition == CC_ALWAYS ? 0xeb : 0x70 | condition);
	emit_byte(e, 0);
	return e->at;
}
static inline void emit_skip_end(struct emitter *e, u32 skip)
{
	if (e->buffer)
		e->buffer[skip - 1] = (u8)(e->at - skip);
}
