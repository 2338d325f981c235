/*
 * The interpreter. It trusts what bpf_check() has proved: it checks no address, no jump and no
 * depth. Each instruction ends with a jump to the code of the next one (computed goto), so there is
 * no loop around them.
 *
 * A call of a function of the program stays in the same run of the interpreter: frames[] keeps what
 * the callee may change and the caller wants back. All frames share one stack. R10 of the callee is
 * below the bytes that its caller uses; the call instruction says in `off` how many these are.
 *
 * Pure: host tests and fuzzers link it, too.
 */
#include "arch/unwind/maccess.h"
#include "kernel/compiler.h"
#include "kernel/lib/string.h"
#include "trace/bpf/core/map.h"
#include "trace/bpf/core/prog.h"
#include "trace/bpf/core/skb.h"

/* What a call keeps. */
struct frame {
	const struct bpf_insn *call;
	u64 saved[4]; /* R6 to R9 */
};

u64 __bpf_call_base(u64 r1 __unused, u64 r2 __unused, u64 r3 __unused, u64 r4 __unused,
		    u64 r5 __unused)
{
	return 0;
}

static u64 byte_swap(u64 value, s32 bits)
{
	return bits == 16   ? __builtin_bswap16((u16)value)
	       : bits == 32 ? __builtin_bswap32((u32)value)
			    : __builtin_bswap64(value);
}

static u64 truncate_to(u64 value, s32 bits)
{
	return bits == 16 ? (u16)value : bits == 32 ? (u32)value : value;
}

/* A load of which the verifier does not know that the address is mapped. */
static noinline u64 probe_load(u64 addr, u32 size)
{
	u64 value = 0; /* x86 is little-endian: a short value is its lower part */

	return copy_from_kernel_nofault(&value, (const void *)addr, size) ? 0 : value;
}

/* STX | ATOMIC on a type: 32 or 64 bits. Sequentially consistent, also without BPF_FETCH. */
#define DEFINE_ATOMIC(type)                                                                        \
	static noinline void atomic_##type(const struct bpf_insn *insn, u64 *regs)                 \
	{                                                                                          \
		type *p = (type *)(regs[insn->dst_reg] + (s64)insn->off);                          \
		u64 *src = &regs[insn->src_reg];                                                   \
		type operand = (type)*src, old;                                                    \
                                                                                                   \
		switch (insn->imm & ~BPF_FETCH) {                                                  \
		case BPF_ADD:                                                                      \
			old = __atomic_fetch_add(p, operand, __ATOMIC_SEQ_CST);                    \
			break;                                                                     \
		case BPF_AND:                                                                      \
			old = __atomic_fetch_and(p, operand, __ATOMIC_SEQ_CST);                    \
			break;                                                                     \
		case BPF_OR:                                                                       \
			old = __atomic_fetch_or(p, operand, __ATOMIC_SEQ_CST);                     \
			break;                                                                     \
		case BPF_XOR:                                                                      \
			old = __atomic_fetch_xor(p, operand, __ATOMIC_SEQ_CST);                    \
			break;                                                                     \
		case BPF_XCHG & ~BPF_FETCH:                                                        \
			old = xchg(p, operand);                                                    \
			break;                                                                     \
		default: /* BPF_CMPXCHG */                                                         \
			regs[BPF_REG_0] = cmpxchg(p, (type)regs[BPF_REG_0], operand);              \
			return;                                                                    \
		}                                                                                  \
		if (insn->imm & BPF_FETCH)                                                         \
			*src = old;                                                                \
	}
DEFINE_ATOMIC(u32)
DEFINE_ATOMIC(u64)

/* The verifier requires alignment only of some kinds of memory. */
typedef u16 unaligned_u16 __aligned(1);
typedef u32 unaligned_u32 __aligned(1);
typedef u64 unaligned_u64 __aligned(1);

typedef u64 helper_t(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);

static __always_inline helper_t *helper_of(const struct bpf_insn *insn)
{
	return (helper_t *)((u64)__bpf_call_base + (s64)insn->imm);
}

static __always_inline u64 registers_of(const struct bpf_insn *insn)
{
	u64 both = ((const u8 *)insn)[1];

	__asm__("" : "+r"(both)); /* else the compiler masks what it has shifted */
	return both;
}

/* Names of the code of an instruction, and of the variants with a constant and a register. */
#define ALU_LABELS(op)                                                                             \
	[BPF_ALU64 | BPF_##op | BPF_X] = &&op##64_x, [BPF_ALU64 | BPF_##op | BPF_K] = &&op##64_k,  \
				[BPF_ALU | BPF_##op | BPF_X] = &&op##32_x,                         \
				[BPF_ALU | BPF_##op | BPF_K] = &&op##32_k
#define JUMP_LABELS(op)                                                                            \
	[BPF_JMP | BPF_##op | BPF_X] = &&op##64_x, [BPF_JMP | BPF_##op | BPF_K] = &&op##64_k,      \
			      [BPF_JMP32 | BPF_##op | BPF_X] = &&op##32_x,                         \
			      [BPF_JMP32 | BPF_##op | BPF_K] = &&op##32_k
#define MEMORY_LABELS(size)                                                                        \
	[BPF_LDX | BPF_MEM | BPF_##size] = &&load_##size,                                          \
			     [BPF_LDX | BPF_PROBE_MEM | BPF_##size] = &&probe,                     \
			     [BPF_STX | BPF_MEM | BPF_##size] = &&store_x_##size,                  \
			     [BPF_ST | BPF_MEM | BPF_##size] = &&store_k_##size
#define PACKET_LABELS(size)                                                                        \
	[BPF_LD | BPF_ABS | BPF_##size] = &&packet_abs,                                            \
			    [BPF_LD | BPF_IND | BPF_##size] = &&packet_ind

/* Both numbers are in one byte. The compiler would read it twice. */
#define DST regs[registers_of(insn) & 15]
/* Of an instruction without src_reg: the verifier requires that it is 0 then. */
#define ONLY_DST regs[registers_of(insn)]
#define SRC      regs[registers_of(insn) >> 4]
#define IMM      insn->imm
/* Loaded before the other operand, so that the other one needs no register to be changed. */
#define LOADED(type, value)                                                                        \
	({                                                                                         \
		type loaded = (type)(value);                                                       \
                                                                                                   \
		__asm__("" : "+r"(loaded));                                                        \
		loaded;                                                                            \
	})
#define NEXT                                                                                       \
	do {                                                                                       \
		insn = hide_pointer(insn + 1); /* so jmp itself reads the table */                 \
		goto *labels[insn->code];                                                          \
	} while (0)

/*
 * value(type, a, b) of arithmetic, with b extended from 32 bits for a constant. 32 bits: the result
 * is zero-extended, because the type is unsigned.
 */
#define ALU(op, value)                                                                             \
	op##64_x : DST = value(u64, DST, LOADED(u64, SRC));                                        \
	NEXT;                                                                                      \
	op##64_k : alu_dst = &ONLY_DST;                                                            \
	*alu_dst = value(u64, *alu_dst, (u64)(s64)IMM);                                            \
	NEXT;                                                                                      \
	op##32_x : DST = value(u32, (u32)DST, (u32)SRC);                                           \
	NEXT;                                                                                      \
	op##32_k : ONLY_DST = value(u32, LOADED(u32, ONLY_DST), (u32)IMM);                         \
	NEXT;
#define VALUE_ADD(type, a, b)  (a) + (b)
#define VALUE_SUB(type, a, b)  (a) - (b)
#define VALUE_MUL(type, a, b)  (a) * (b)
#define VALUE_AND(type, a, b)  (a) & (b)
#define VALUE_OR(type, a, b)   (a) | (b)
#define VALUE_XOR(type, a, b)  (a) ^ (b)
#define VALUE_MOV(type, a, b)  (b)
#define VALUE_DIV(type, a, b)  (b) ? (a) / (b) : 0
#define VALUE_MOD(type, a, b)  (b) ? (a) % (b) : (a)
#define SHIFT(type, b)         ((b) & (sizeof(type) * 8 - 1))
#define VALUE_LSH(type, a, b)  (a) << SHIFT(type, b)
#define VALUE_RSH(type, a, b)  (a) >> SHIFT(type, b)
#define VALUE_ARSH(type, a, b) (type)((s##type)(a) >> SHIFT(type, b))
typedef s32 su32;
typedef s64 su64;

#define JUMP_IF(condition)                                                                         \
	do {                                                                                       \
		if (condition)                                                                     \
			insn += insn->off;                                                         \
		NEXT;                                                                              \
	} while (0)
/* sign: u or s; test: an operator */
#define JUMP(op, sign, test)                                                                       \
	op##64_x : JUMP_IF((sign##64)DST test(sign##64) SRC);                                      \
	op##64_k : JUMP_IF((sign##64)ONLY_DST test(sign##64)(s64) IMM);                            \
	op##32_x : JUMP_IF((sign##32)DST test(sign##32) SRC);                                      \
	op##32_k : JUMP_IF((sign##32)ONLY_DST test(sign##32) IMM);

#define MEMORY(size, type)                                                                         \
	load_##size : DST = *(const volatile type *)(SRC + (s64)insn->off);                        \
	NEXT;                                                                                      \
	store_x_##size : *(volatile type *)(DST + (s64)insn->off) = (type)SRC;                     \
	NEXT;                                                                                      \
	store_k_##size : *(volatile type *)(ONLY_DST + (s64)insn->off) = (type)IMM;                \
	NEXT;

/* Runs from insn to the EXIT of that function. regs: R1 is set. */
static noinline u64 run(const struct bpf_insn *insn, u64 *regs)
{
/* Numbers that are no instructions have no label: the first line is for all that have no other. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
	static const void *const labels[256] = {
		[0 ... 255] = &&unknown,
		ALU_LABELS(ADD),
		ALU_LABELS(SUB),
		ALU_LABELS(MUL),
		ALU_LABELS(DIV),
		ALU_LABELS(MOD),
		ALU_LABELS(AND),
		ALU_LABELS(OR),
		ALU_LABELS(XOR),
		ALU_LABELS(LSH),
		ALU_LABELS(RSH),
		ALU_LABELS(ARSH),
		ALU_LABELS(MOV),
		[BPF_ALU64 | BPF_NEG] = &&NEG64,
		[BPF_ALU | BPF_NEG] = &&NEG32,
		[BPF_ALU | BPF_END | BPF_TO_LE] = &&to_le,
		[BPF_ALU | BPF_END | BPF_TO_BE] = &&to_be,
		JUMP_LABELS(JEQ),
		JUMP_LABELS(JNE),
		JUMP_LABELS(JGT),
		JUMP_LABELS(JGE),
		JUMP_LABELS(JLT),
		JUMP_LABELS(JLE),
		JUMP_LABELS(JSGT),
		JUMP_LABELS(JSGE),
		JUMP_LABELS(JSLT),
		JUMP_LABELS(JSLE),
		JUMP_LABELS(JSET),
		[BPF_JMP | BPF_JA] = &&jump,
		[BPF_JMP32 | BPF_JA] = &&long_jump,
		[BPF_JMP | BPF_CALL] = &&call,
		[BPF_JMP | BPF_TAIL_CALL] = &&tail_call,
		[BPF_JMP | BPF_EXIT] = &&exit,
		MEMORY_LABELS(B),
		MEMORY_LABELS(H),
		MEMORY_LABELS(W),
		MEMORY_LABELS(DW),
		PACKET_LABELS(B),
		PACKET_LABELS(H),
		PACKET_LABELS(W),
		[BPF_LD | BPF_IMM | BPF_DW] = &&load_imm64,
		[BPF_STX | BPF_ATOMIC | BPF_W] = &&atomic_w,
		[BPF_STX | BPF_ATOMIC | BPF_DW] = &&atomic_dw,
	};
#pragma GCC diagnostic pop
	u64 stack[MAX_BPF_STACK / sizeof(u64)];
	struct frame frames[MAX_CALL_FRAMES], *frame = frames;
	unsigned tail_calls = 0;
	s64 packet;
	/* Asked for once: clang 14 stored a remainder at an index that DIV had changed. */
	u64 *alu_dst;

	regs[BPF_REG_FP] = (u64)(stack + ARRAY_SIZE(stack));
	goto *labels[insn->code];

	ALU(ADD, VALUE_ADD)
	ALU(SUB, VALUE_SUB)
	ALU(MUL, VALUE_MUL)
	ALU(DIV, VALUE_DIV)
	ALU(MOD, VALUE_MOD)
	ALU(AND, VALUE_AND)
	ALU(OR, VALUE_OR)
	ALU(XOR, VALUE_XOR)
	ALU(LSH, VALUE_LSH)
	ALU(RSH, VALUE_RSH)
	ALU(ARSH, VALUE_ARSH)
	ALU(MOV, VALUE_MOV)
NEG64:
	DST = -DST;
	NEXT;
NEG32:
	DST = -(u32)DST;
	NEXT;
to_le:
	DST = truncate_to(DST, IMM);
	NEXT;
to_be:
	DST = byte_swap(DST, IMM);
	NEXT;

	JUMP(JEQ, u, ==)
	JUMP(JNE, u, !=)
	JUMP(JGT, u, >)
	JUMP(JGE, u, >=)
	JUMP(JLT, u, <)
	JUMP(JLE, u, <=)
	JUMP(JSGT, s, >)
	JUMP(JSGE, s, >=)
	JUMP(JSLT, s, <)
	JUMP(JSLE, s, <=)
	JUMP(JSET, u, &)
jump:
	insn += insn->off;
	NEXT;
long_jump:
	insn += insn->imm;
	NEXT;

	MEMORY(B, u8)
	MEMORY(H, unaligned_u16)
	MEMORY(W, unaligned_u32)
	MEMORY(DW, unaligned_u64)
probe:
	DST = probe_load(SRC + (s64)insn->off, bpf_size_to_bytes(insn->code));
	NEXT;
load_imm64:
	DST = (u32)IMM | (u64)(u32)insn[1].imm << 32;
	insn++;
	NEXT;
atomic_w:
	atomic_u32(insn, regs);
	NEXT;
atomic_dw:
	atomic_u64(insn, regs);
	NEXT;
packet_abs:
	packet = IMM;
	goto load_packet;
packet_ind:
	packet = (s32)((u32)SRC + (u32)IMM);
load_packet:
	packet = bpf_skb_load((const struct bpf_skb *)regs[BPF_REG_6], packet,
			      bpf_size_to_bytes(insn->code));
	if (packet < 0) {
		regs[BPF_REG_0] = 0; /* the end of the program, which the verifier allows here */
		goto exit;
	}
	regs[BPF_REG_0] = (u64)packet;
	NEXT;

call:
	if (insn->src_reg == BPF_PSEUDO_CALL) {
		frame->call = insn;
		memcpy(frame->saved, &regs[BPF_REG_6], sizeof(frame->saved));
		frame++;
		regs[BPF_REG_FP] -= (u64)insn->off;
		insn += insn->imm;
		NEXT;
	}
	regs[BPF_REG_0] = helper_of(insn)(regs[BPF_REG_1], regs[BPF_REG_2], regs[BPF_REG_3],
					  regs[BPF_REG_4], regs[BPF_REG_5]);
	NEXT;
tail_call:
	if (tail_calls < MAX_TAIL_CALL_CNT) {
		const struct bpf_prog *prog = bpf_prog_array_get(
			(const struct bpf_map *)regs[BPF_REG_2], (u32)regs[BPF_REG_3]);

		if (prog) {
			tail_calls++;
			insn = prog->insns;
			goto *labels[insn->code];
		}
	}
	NEXT;
exit:
	if (frame == frames)
		return regs[BPF_REG_0];
	frame--;
	insn = frame->call;
	memcpy(&regs[BPF_REG_6], frame->saved, sizeof(frame->saved));
	regs[BPF_REG_FP] += (u64)insn->off;
	NEXT;

unknown: /* the verifier lets none in */
	return 0;
}

u32 bpf_interpret(const void *ctx, const struct bpf_insn *insns)
{
	u64 regs[MAX_BPF_REG];

	regs[BPF_REG_1] = (u64)ctx;
	return (u32)run(insns, regs);
}
