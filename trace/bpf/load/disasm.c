/*
 * Instructions as text, in the form that bpftool and the log of Linux use.
 */
#include "kernel/compiler.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "trace/bpf/verifier/verifier.h"

static const char *const jmp_operator[] = { "jmp", "==",   ">",    ">=", "&",  "!=", "s>",
					    "s>=", "call", "exit", "<",  "<=", "s<", "s<=" };
static const char *const size_name[] = { "u32", "u16", "u8", "u64" };

const char *bpf_alu_operator(u8 op)
{
	static const char *const names[] = { "+=",  "-=",  "*=", "/=", "|=", "&=",  "<<=",
					     ">>=", "neg", "%=", "^=", "=",  "s>>=" };

	return op >> 4 < (int)ARRAY_SIZE(names) ? names[op >> 4] : "?";
}

#define SIZE_NAME(insn) size_name[BPF_SIZE((insn)->code) >> 3]

static void disasm_alu(const struct bpf_insn *insn, char *text, size_t size)
{
	u8 op = BPF_OP(insn->code);
	char reg = BPF_CLASS(insn->code) == BPF_ALU ? 'w' : 'r';

	if (op == BPF_END)
		scnprintf(text, size, "(%02x) r%d = %s%d r%d", insn->code, insn->dst_reg,
			  BPF_SRC(insn->code) == BPF_TO_BE ? "be" : "le", insn->imm, insn->dst_reg);
	else if (op > BPF_END)
		scnprintf(text, size, "BUG_%02x", insn->code);
	else if (op == BPF_NEG)
		scnprintf(text, size, "(%02x) %c%d = -%c%d", insn->code, reg, insn->dst_reg, reg,
			  insn->dst_reg);
	else if (BPF_SRC(insn->code) == BPF_X)
		scnprintf(text, size, "(%02x) %c%d %s %c%d", insn->code, reg, insn->dst_reg,
			  bpf_alu_operator(op), reg, insn->src_reg);
	else
		scnprintf(text, size, "(%02x) %c%d %s %d", insn->code, reg, insn->dst_reg,
			  bpf_alu_operator(op), insn->imm);
}

static void disasm_jmp(const struct bpf_insn *insn, char *text, size_t size)
{
	u8 op = BPF_OP(insn->code);
	char reg = BPF_CLASS(insn->code) == BPF_JMP32 ? 'w' : 'r';

	if (op == BPF_CALL && insn->src_reg == BPF_PSEUDO_CALL)
		scnprintf(text, size, "(%02x) call pc%+d", insn->code, insn->imm);
	else if (op == BPF_CALL)
		scnprintf(text, size, "(%02x) call %s#%d", insn->code,
			  bpf_func_name((u32)insn->imm), insn->imm);
	else if (op == BPF_JA)
		scnprintf(text, size, "(%02x) goto%s pc%+d", insn->code, reg == 'w' ? "l" : "",
			  bpf_jump_distance(insn));
	else if (op == BPF_EXIT)
		scnprintf(text, size, "(%02x) exit", insn->code);
	else if (op > BPF_JSLE)
		scnprintf(text, size, "BUG_%02x", insn->code);
	else if (BPF_SRC(insn->code) == BPF_X)
		scnprintf(text, size, "(%02x) if %c%d %s %c%d goto pc%+d", insn->code, reg,
			  insn->dst_reg, jmp_operator[op >> 4], reg, insn->src_reg, insn->off);
	else
		scnprintf(text, size, "(%02x) if %c%d %s 0x%x goto pc%+d", insn->code, reg,
			  insn->dst_reg, jmp_operator[op >> 4], (u32)insn->imm, insn->off);
}

static void disasm_atomic(const struct bpf_insn *insn, char *text, size_t size)
{
	const char *bits = BPF_SIZE(insn->code) == BPF_DW ? "64" : "";
	const char *fetch;

	switch (insn->imm) {
	case BPF_ADD:
	case BPF_AND:
	case BPF_OR:
	case BPF_XOR:
		scnprintf(text, size, "(%02x) lock *(%s *)(r%d %+d) %s r%d", insn->code,
			  SIZE_NAME(insn), insn->dst_reg, insn->off,
			  bpf_alu_operator((u8)BPF_OP(insn->imm)), insn->src_reg);
		return;
	case BPF_CMPXCHG:
		scnprintf(text, size, "(%02x) r0 = atomic%s_cmpxchg((%s *)(r%d %+d), r0, r%d)",
			  insn->code, bits, SIZE_NAME(insn), insn->dst_reg, insn->off,
			  insn->src_reg);
		return;
	case BPF_XCHG:
		fetch = "xchg";
		break;
	case BPF_ADD | BPF_FETCH:
		fetch = "fetch_add";
		break;
	case BPF_AND | BPF_FETCH:
		fetch = "fetch_and";
		break;
	case BPF_OR | BPF_FETCH:
		fetch = "fetch_or";
		break;
	case BPF_XOR | BPF_FETCH:
		fetch = "fetch_xor";
		break;
	default:
		scnprintf(text, size, "BUG_%02x", insn->code);
		return;
	}
	scnprintf(text, size, "(%02x) r%d = atomic%s_%s((%s *)(r%d %+d), r%d)", insn->code,
		  insn->src_reg, bits, fetch, SIZE_NAME(insn), insn->dst_reg, insn->off,
		  insn->src_reg);
}

static void disasm_ld(const struct bpf_insn *insn, char *text, size_t size)
{
	switch (BPF_MODE(insn->code)) {
	case BPF_ABS:
		scnprintf(text, size, "(%02x) r0 = *(%s *)skb[%d]", insn->code, SIZE_NAME(insn),
			  insn->imm);
		break;
	case BPF_IND:
		scnprintf(text, size, "(%02x) r0 = *(%s *)skb[r%d + %d]", insn->code,
			  SIZE_NAME(insn), insn->src_reg, insn->imm);
		break;
	case BPF_IMM:
		scnprintf(text, size, "(%02x) r%d = 0x%lx", insn->code, insn->dst_reg,
			  bpf_imm64(insn));
		break;
	default:
		scnprintf(text, size, "BUG_ld_%02x", insn->code);
	}
}

void bpf_disasm(const struct bpf_insn *insn, char *text, size_t size)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		disasm_alu(insn, text, size);
		break;
	case BPF_JMP:
	case BPF_JMP32:
		disasm_jmp(insn, text, size);
		break;
	case BPF_LD:
		disasm_ld(insn, text, size);
		break;
	case BPF_LDX:
		scnprintf(text, size, "(%02x) r%d = *(%s *)(r%d %+d)", insn->code, insn->dst_reg,
			  SIZE_NAME(insn), insn->src_reg, insn->off);
		break;
	case BPF_ST:
		scnprintf(text, size, "(%02x) *(%s *)(r%d %+d) = %d", insn->code, SIZE_NAME(insn),
			  insn->dst_reg, insn->off, insn->imm);
		break;
	case BPF_STX:
		if (BPF_MODE(insn->code) == BPF_ATOMIC)
			disasm_atomic(insn, text, size);
		else
			scnprintf(text, size, "(%02x) *(%s *)(r%d %+d) = r%d", insn->code,
				  SIZE_NAME(insn), insn->dst_reg, insn->off, insn->src_reg);
		break;
	}
}
