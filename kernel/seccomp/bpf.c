/* See bpf.h. Linux's Documentation/networking/filter.rst describes the instructions. */
#include "kernel/seccomp/bpf.h"

#include "kernel/lib/string.h"

/* The code of an instruction: a class, and what that class adds. */
#define BPF_LD   0x00
#define BPF_LDX  0x01
#define BPF_ST   0x02
#define BPF_STX  0x03
#define BPF_ALU  0x04
#define BPF_JMP  0x05
#define BPF_RET  0x06
#define BPF_MISC 0x07

/* Loads: from where. All are of words. */
#define BPF_IMM 0x00
#define BPF_ABS 0x20
#define BPF_MEM 0x60
#define BPF_LEN 0x80

/* The second operand of arithmetic and tests: k, or X; RET has A, too. */
#define BPF_K 0x00
#define BPF_X 0x08
#define BPF_A 0x10

#define BPF_ADD 0x00
#define BPF_SUB 0x10
#define BPF_MUL 0x20
#define BPF_DIV 0x30
#define BPF_OR  0x40
#define BPF_AND 0x50
#define BPF_LSH 0x60
#define BPF_RSH 0x70
#define BPF_NEG 0x80
#define BPF_XOR 0xa0

#define BPF_JA   0x00
#define BPF_JEQ  0x10
#define BPF_JGT  0x20
#define BPF_JGE  0x30
#define BPF_JSET 0x40

#define BPF_TAX 0x00
#define BPF_TXA 0x80

#define BPF_MEMWORDS 16U

/* ---- the check ---- */

/* Which scratch words are written on each way to an instruction: a bit each. */
#define ALL_WORDS 0xffffU

static void limit(u16 *words, u32 at, u16 written)
{
	words[at] &= written;
}

/* Notes at the targets of a jump what is written here. False: one lies outside the program. */
static bool check_jump(const struct sock_filter *insn, u32 at, u32 length, u16 *words)
{
	u32 left = length - at - 1; /* instructions behind this one */

	if (insn->code == (BPF_JMP | BPF_JA)) {
		if (insn->k >= left)
			return false;
		limit(words, at + 1 + insn->k, words[at]);
		return true;
	}
	if (insn->jt >= left || insn->jf >= left)
		return false;
	limit(words, at + 1 + insn->jt, words[at]);
	limit(words, at + 1 + insn->jf, words[at]);
	return true;
}

static bool check_one(const struct sock_filter *insn, u16 *written)
{
	u32 k = insn->k;

	switch (insn->code) {
	case BPF_LD | BPF_ABS:
		return k < sizeof(struct seccomp_data) && k % sizeof(u32) == 0;
	case BPF_LD | BPF_MEM:
	case BPF_LDX | BPF_MEM:
		return k < BPF_MEMWORDS && *written & (1U << k);
	case BPF_ST:
	case BPF_STX:
		if (k >= BPF_MEMWORDS)
			return false;
		*written |= (u16)(1U << k);
		return true;
	case BPF_ALU | BPF_DIV | BPF_K:
		return k != 0;
	case BPF_ALU | BPF_LSH | BPF_K:
	case BPF_ALU | BPF_RSH | BPF_K:
		return k < 32;
	case BPF_LD | BPF_LEN:
	case BPF_LDX | BPF_LEN:
	case BPF_LD | BPF_IMM:
	case BPF_LDX | BPF_IMM:
	case BPF_RET | BPF_K:
	case BPF_RET | BPF_A:
	case BPF_ALU | BPF_ADD | BPF_K:
	case BPF_ALU | BPF_ADD | BPF_X:
	case BPF_ALU | BPF_SUB | BPF_K:
	case BPF_ALU | BPF_SUB | BPF_X:
	case BPF_ALU | BPF_MUL | BPF_K:
	case BPF_ALU | BPF_MUL | BPF_X:
	case BPF_ALU | BPF_DIV | BPF_X:
	case BPF_ALU | BPF_AND | BPF_K:
	case BPF_ALU | BPF_AND | BPF_X:
	case BPF_ALU | BPF_OR | BPF_K:
	case BPF_ALU | BPF_OR | BPF_X:
	case BPF_ALU | BPF_XOR | BPF_K:
	case BPF_ALU | BPF_XOR | BPF_X:
	case BPF_ALU | BPF_LSH | BPF_X:
	case BPF_ALU | BPF_RSH | BPF_X:
	case BPF_ALU | BPF_NEG:
	case BPF_MISC | BPF_TAX:
	case BPF_MISC | BPF_TXA:
	case BPF_JMP | BPF_JA:
	case BPF_JMP | BPF_JEQ | BPF_K:
	case BPF_JMP | BPF_JEQ | BPF_X:
	case BPF_JMP | BPF_JGT | BPF_K:
	case BPF_JMP | BPF_JGT | BPF_X:
	case BPF_JMP | BPF_JGE | BPF_K:
	case BPF_JMP | BPF_JGE | BPF_X:
	case BPF_JMP | BPF_JSET | BPF_K:
	case BPF_JMP | BPF_JSET | BPF_X:
		return true;
	default:
		return false;
	}
}

bool seccomp_bpf_check(const struct sock_filter *program, u32 length, u16 *words)
{
	u16 written = 0;
	u32 at;

	if (!length || length > BPF_MAXINSNS)
		return false;
	memset(words, 0xff, length * sizeof(*words));
	for (at = 0; at < length; at++) {
		const struct sock_filter *insn = &program[at];

		/* What falls through from above, and what jumps here. */
		written = words[at] &= written;
		if (!check_one(insn, &words[at]))
			return false;
		written = words[at];
		if ((insn->code & 7) != BPF_JMP)
			continue;
		if (!check_jump(insn, at, length, words))
			return false;
		written = ALL_WORDS; /* nothing falls through */
	}
	return (program[length - 1].code & 7) == BPF_RET;
}

/* ---- the machine ---- */

struct machine {
	u32 a, x;
	u32 words[BPF_MEMWORDS];
};

static bool compute(struct machine *m, u16 code, u32 operand)
{
	switch (code & 0xf0) {
	case BPF_ADD:
		m->a += operand;
		return true;
	case BPF_SUB:
		m->a -= operand;
		return true;
	case BPF_MUL:
		m->a *= operand;
		return true;
	case BPF_DIV:
		if (!operand)
			return false;
		m->a /= operand;
		return true;
	case BPF_OR:
		m->a |= operand;
		return true;
	case BPF_AND:
		m->a &= operand;
		return true;
	case BPF_XOR:
		m->a ^= operand;
		return true;
	case BPF_LSH:
		m->a <<= operand & 31;
		return true;
	case BPF_RSH:
		m->a >>= operand & 31;
		return true;
	default: /* BPF_NEG */
		m->a = -m->a;
		return true;
	}
}

static bool test(u32 a, u16 code, u32 operand)
{
	switch (code & 0xf0) {
	case BPF_JEQ:
		return a == operand;
	case BPF_JGT:
		return a > operand;
	case BPF_JGE:
		return a >= operand;
	default: /* BPF_JSET */
		return a & operand;
	}
}

/* Of the data only the first `known` bytes may be read: false if the program wants more. */
static bool load(u32 *to, const struct machine *m, const struct sock_filter *insn,
		 const struct seccomp_data *data, u32 known)
{
	switch (insn->code & 0xe0) {
	case BPF_ABS:
		if (insn->k >= known)
			return false;
		memcpy(to, (const u8 *)data + insn->k, sizeof(*to));
		return true;
	case BPF_MEM:
		*to = m->words[insn->k];
		return true;
	case BPF_LEN:
		*to = sizeof(*data);
		return true;
	default: /* BPF_IMM */
		*to = insn->k;
		return true;
	}
}

/* False: load() does not know what the program wants. */
static bool run(const struct sock_filter *insn, const struct seccomp_data *data, u32 known,
		u32 *result)
{
	struct machine m = { 0 };

	for (;; insn++) {
		u32 operand = insn->code & BPF_X ? m.x : insn->k;

		switch (insn->code & 7) {
		case BPF_LD:
			if (!load(&m.a, &m, insn, data, known))
				return false;
			break;
		case BPF_LDX:
			if (!load(&m.x, &m, insn, data, known))
				return false;
			break;
		case BPF_ST:
			m.words[insn->k] = m.a;
			break;
		case BPF_STX:
			m.words[insn->k] = m.x;
			break;
		case BPF_ALU:
			if (!compute(&m, insn->code, operand)) {
				*result = 0;
				return true;
			}
			break;
		case BPF_JMP:
			if (insn->code == (BPF_JMP | BPF_JA))
				insn += insn->k;
			else
				insn += test(m.a, insn->code, operand) ? insn->jt : insn->jf;
			break;
		case BPF_RET:
			*result = insn->code & BPF_A ? m.a : insn->k;
			return true;
		default: /* BPF_MISC */
			if (insn->code & BPF_TXA)
				m.a = m.x;
			else
				m.x = m.a;
		}
	}
}

u32 seccomp_bpf_run(const struct sock_filter *program, const struct seccomp_data *data)
{
	u32 result = 0;

	(void)run(program, data, sizeof(*data), &result);
	return result;
}

bool seccomp_bpf_is_constant(const struct sock_filter *program, const struct seccomp_data *data,
			     u32 *result)
{
	return run(program, data, offsetof(struct seccomp_data, instruction_pointer), result);
}
