/* The JIT's code for arithmetic, loads, stores and atomics. */
#include "arch/bpf/jit_internal.h"

/* ---- arithmetic ---- */

/*
 * Division has fixed registers: rdx:rax / r11. What is in rax and rdx is kept in r10 and r9, but
 * for the one that gets the result.
 */
static void emit_division(struct emitter *e, const struct bpf_insn *insn, u32 how)
{
	u32 dst = jit_reg[insn->dst_reg];
	bool is_mod = BPF_OP(insn->code) == BPF_MOD;
	u32 by_zero = 0, end = 0;

	if (BPF_SRC(insn->code) == BPF_X)
		emit_mov(e, how, R11, jit_reg[insn->src_reg]);
	else
		emit_mov_imm(e, R11, how & X86_W ? (u64)(s64)insn->imm : (u32)insn->imm);
	if (!(how & X86_W))
		emit_mov(e, 0, dst, dst); /* also the result of x % 0 has an upper half of 0 */
	if (BPF_SRC(insn->code) == BPF_X || !insn->imm) {
		emit_rr(e, how, 0x85, R11, R11);
		by_zero = emit_skip(e, CC_E);
	}
	if (dst != RAX) {
		emit_mov(e, X86_W, R10, RAX);
		emit_mov(e, X86_W, RAX, dst);
	}
	if (dst != RDX)
		emit_mov(e, X86_W, R9, RDX);
	emit_rr(e, 0, 0x31, RDX, RDX);
	emit_rr(e, how, 0xf7, 6, R11); /* div r11 */
	if (dst != (is_mod ? RDX : RAX))
		emit_mov(e, X86_W, dst, is_mod ? RDX : RAX);
	if (dst != RAX)
		emit_mov(e, X86_W, RAX, R10);
	if (dst != RDX)
		emit_mov(e, X86_W, RDX, R9);
	if (!by_zero)
		return;
	if (!is_mod)
		end = emit_skip(e, CC_ALWAYS);
	emit_skip_end(e, by_zero);
	if (!is_mod) {
		emit_mov_imm(e, dst, 0);
		emit_skip_end(e, end);
	}
}

/* The digit of shl, shr, sar in their opcodes. */
static u32 shift_digit(u8 code)
{
	return BPF_OP(code) == BPF_LSH ? 4 : BPF_OP(code) == BPF_RSH ? 5 : 7;
}

/* The count of a shift must be in cl. The CPU masks it as eBPF does. */
static void emit_shift_by_reg(struct emitter *e, const struct bpf_insn *insn, u32 how)
{
	u32 dst = jit_reg[insn->dst_reg], src = jit_reg[insn->src_reg];
	u32 digit = shift_digit(insn->code);

	if (dst == RCX) {
		emit_mov(e, X86_W, R11, RCX);
		if (src != RCX)
			emit_mov(e, 0, RCX, src);
		emit_rr(e, how, 0xd3, digit, R11);
		emit_mov(e, how, RCX, R11);
		return;
	}
	if (src != RCX) {
		emit_mov(e, X86_W, R11, RCX);
		emit_mov(e, 0, RCX, src);
	}
	emit_rr(e, how, 0xd3, digit, dst);
	if (src != RCX)
		emit_mov(e, X86_W, RCX, R11);
}

static void emit_multiply(struct emitter *e, const struct bpf_insn *insn, u32 how)
{
	u32 dst = jit_reg[insn->dst_reg];

	if (BPF_SRC(insn->code) == BPF_X) {
		emit_rr(e, how, 0x0faf, dst, jit_reg[insn->src_reg]);
		return;
	}
	emit_rr(e, how, 0x69, dst, dst); /* imul dst, dst, imm */
	emit_bytes(e, (u32)insn->imm, 4);
}

/* BPF_END: reverses the bytes or only truncates, because x86 is little-endian. */
static void emit_end(struct emitter *e, const struct bpf_insn *insn)
{
	u32 dst = jit_reg[insn->dst_reg];
	bool swap = BPF_SRC(insn->code) == BPF_TO_BE;

	if (insn->imm == 16) {
		if (swap) {
			emit_rr(e, X86_16, 0xc1, 0, dst); /* rol dst16, 8 */
			emit_byte(e, 8);
		}
		emit_rr(e, 0, 0x0fb7, dst, dst); /* movzx dst, dst16 */
	} else if (swap) {
		emit_opcode(e, insn->imm == 64 ? X86_W : 0, 0x0fc8 | (dst & 7), 0, 0, dst);
	} else if (insn->imm == 32) {
		emit_mov(e, 0, dst, dst);
	}
}

/* add, or, and, sub, xor. */
static void emit_simple(struct emitter *e, const struct bpf_insn *insn, u32 how, u32 digit)
{
	u32 dst = jit_reg[insn->dst_reg];

	if (BPF_SRC(insn->code) == BPF_X)
		emit_rr(e, how, digit << 3 | 1, jit_reg[insn->src_reg], dst);
	else
		emit_alu_imm(e, how, digit, dst, insn->imm);
}

bool jit_is_address(const struct bpf_insn *insn)
{
	return insn[0].code == (BPF_ALU64 | BPF_MOV | BPF_X) &&
	       insn[1].code == (BPF_ALU64 | BPF_ADD | BPF_K) && insn[1].dst_reg == insn[0].dst_reg;
}

void jit_address(struct jit_pass *p, const struct bpf_insn *insn)
{
	emit_rm(&p->e, X86_W, 0x8d, jit_reg[insn->dst_reg], jit_reg[insn->src_reg], insn[1].imm);
}

void jit_alu(struct jit_pass *p, const struct bpf_insn *insn)
{
	u32 how = BPF_CLASS(insn->code) == BPF_ALU64 ? X86_W : 0;
	u32 dst = jit_reg[insn->dst_reg];
	struct emitter *e = &p->e;

	switch (BPF_OP(insn->code)) {
	case BPF_ADD:
		emit_simple(e, insn, how, X86_ADD);
		break;
	case BPF_SUB:
		emit_simple(e, insn, how, X86_SUB);
		break;
	case BPF_AND:
		emit_simple(e, insn, how, X86_AND);
		break;
	case BPF_OR:
		emit_simple(e, insn, how, X86_OR);
		break;
	case BPF_XOR:
		emit_simple(e, insn, how, X86_XOR);
		break;
	case BPF_MOV:
		if (BPF_SRC(insn->code) == BPF_X)
			emit_mov(e, how, dst, jit_reg[insn->src_reg]);
		else
			emit_mov_imm(e, dst, how ? (u64)(s64)insn->imm : (u32)insn->imm);
		break;
	case BPF_MUL:
		emit_multiply(e, insn, how);
		break;
	case BPF_DIV:
	case BPF_MOD:
		emit_division(e, insn, how);
		break;
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH:
		if (BPF_SRC(insn->code) == BPF_X) {
			emit_shift_by_reg(e, insn, how);
		} else {
			emit_rr(e, how, 0xc1, shift_digit(insn->code), dst);
			emit_byte(e, (u8)insn->imm);
		}
		break;
	case BPF_NEG:
		emit_rr(e, how, 0xf7, 3, dst);
		break;
	default:
		emit_end(e, insn);
	}
}

/* ---- memory ---- */

/* Loads, with the upper bits 0. */
static void emit_load(struct emitter *e, u8 code, u32 dst, u32 base, s32 off)
{
	static const u16 opcodes[] = { [BPF_W >> 3] = 0x8b,
				       [BPF_H >> 3] = 0x0fb7,
				       [BPF_B >> 3] = 0x0fb6,
				       [BPF_DW >> 3] = 0x8b };
	u32 size = BPF_SIZE(code);

	emit_rm(e, size == BPF_DW ? X86_W : 0, opcodes[size >> 3], dst, base, off);
}

/* The load at `at` may fault. Then execution continues behind it. */
static void add_extable(struct jit_pass *p, u32 at)
{
	if (p->jit->extable)
		p->jit->extable[p->extable] = (struct exception_table_entry){
			.insn = p->e.address + at,
			.fixup = p->e.address + p->e.at,
		};
	p->extable++;
}

void jit_load(struct jit_pass *p, const struct bpf_insn *insn)
{
	u32 dst = jit_reg[insn->dst_reg], src = jit_reg[insn->src_reg];
	struct emitter *e = &p->e;
	u32 of_user, at;

	if (BPF_MODE(insn->code) == BPF_MEM) {
		emit_load(e, insn->code, dst, src, insn->off);
		return;
	}
	/*
	 * PROBE_MEM: dst is 0 if the address is in the lower half, which is of user space, or if
	 * the load faults.
	 */
	emit_rm(e, X86_W, 0x8d, R11, src, insn->off); /* lea r11, [src + off] */
	emit_mov_imm(e, dst, 0);
	emit_rr(e, X86_W, 0x85, R11, R11);
	of_user = emit_skip(e, CC_NS);
	at = e->at;
	emit_load(e, insn->code, dst, R11, 0);
	emit_skip_end(e, of_user);
	add_extable(p, at);
}

static u32 how_of_size(u8 code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B:
		return X86_BYTE;
	case BPF_H:
		return X86_16;
	case BPF_W:
		return 0;
	default:
		return X86_W;
	}
}

void jit_store(struct jit_pass *p, const struct bpf_insn *insn)
{
	u32 how = how_of_size(insn->code), byte = how == X86_BYTE;
	u32 dst = jit_reg[insn->dst_reg];

	if (BPF_CLASS(insn->code) == BPF_STX) {
		emit_rm(&p->e, how, byte ? 0x88 : 0x89, jit_reg[insn->src_reg], dst, insn->off);
		return;
	}
	emit_rm(&p->e, how, byte ? 0xc6 : 0xc7, 0, dst, insn->off);
	emit_bytes(&p->e, (u32)insn->imm, byte ? 1 : how == X86_16 ? 2 : 4);
}

/* and, or, xor that give the old value: there is no such instruction, so a loop of cmpxchg. */
static void emit_fetch_loop(struct emitter *e, const struct bpf_insn *insn, u32 how, u32 opcode)
{
	u32 dst = jit_reg[insn->dst_reg], src = jit_reg[insn->src_reg], again;

	emit_mov(e, X86_W, R10, RAX); /* cmpxchg uses rax */
	emit_rm(e, how, 0x8b, RAX, dst, insn->off);
	if (dst == RAX)
		dst = R10;
	again = e->at;
	emit_mov(e, how, R11, RAX);
	emit_rr(e, how, opcode, src == RAX ? R10 : src, R11);
	emit_rm(e, how | X86_LOCK, 0x0fb1, R11, dst, insn->off);
	emit_byte(e, 0x70 | CC_NE); /* rax is the present value */
	emit_byte(e, again - (e->at + 1));
	if (src == RAX) {
		if (!(how & X86_W))
			emit_mov(e, 0, RAX, RAX);
		return;
	}
	emit_mov(e, how, src, RAX);
	emit_mov(e, X86_W, RAX, R10);
}

/* The digit of add, or, and, xor in their opcodes. */
static u32 atomic_digit(s32 imm)
{
	switch (imm & ~BPF_FETCH) {
	case BPF_ADD:
		return X86_ADD;
	case BPF_OR:
		return X86_OR;
	case BPF_AND:
		return X86_AND;
	default:
		return X86_XOR;
	}
}

void jit_atomic(struct jit_pass *p, const struct bpf_insn *insn)
{
	u32 how = BPF_SIZE(insn->code) == BPF_DW ? X86_W : 0;
	u32 dst = jit_reg[insn->dst_reg], src = jit_reg[insn->src_reg];
	u32 opcode = atomic_digit(insn->imm) << 3 | 1;
	struct emitter *e = &p->e;

	if (!(insn->imm & BPF_FETCH)) {
		emit_rm(e, how | X86_LOCK, opcode, src, dst, insn->off);
	} else if (insn->imm == (BPF_ADD | BPF_FETCH)) {
		emit_rm(e, how | X86_LOCK, 0x0fc1, src, dst, insn->off); /* xadd */
	} else if (insn->imm == BPF_XCHG) {
		emit_rm(e, how, 0x87, src, dst, insn->off);
	} else if (insn->imm == BPF_CMPXCHG) {
		emit_rm(e, how | X86_LOCK, 0x0fb1, src, dst, insn->off);
		if (!how)
			emit_mov(e, 0, RAX, RAX); /* it leaves rax alone if it has stored */
	} else {
		emit_fetch_loop(e, insn, how, opcode);
	}
}
