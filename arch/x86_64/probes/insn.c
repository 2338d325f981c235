/*
 * The decoder of instructions. Each map of opcodes is a table of characters that say which operands
 * follow the opcode:
 *
 *   .  none                          m  ModRM
 *   b  imm8                          B  ModRM, imm8
 *   z  imm32, or imm16 with 66       Z  ModRM, imm32 or imm16
 *   w  imm16                         e  imm16, imm8: enter
 *   v  imm64 with REX.W, else as z   o  an absolute address
 *   j  rel8                          J  rel32, with 66 too (SDM 2A, CALL: 64-bit mode ignores it)
 *   g  ModRM, imm8 for /0 and /1     G  the same with Z
 *   r  ModRM of registers only: control and debug registers
 *   p  a prefix                      -  no instruction
 *
 * Maps 0F38 and 0F3A need no table: all of their instructions have a ModRM byte, those of 0F3A an
 * imm8 as well.
 */
#include "arch/probes/insn.h"

#include "kernel/errno.h"
#include "kernel/lib/string.h"

static const char one_byte_map[] = {
	/*       0123456789abcdef */
	/* 0 */ "mmmmbz--mmmmbz-p"
		/* 1 */ "mmmmbz--mmmmbz--"
		/* 2 */ "mmmmbzp-mmmmbzp-"
		/* 3 */ "mmmmbzp-mmmmbzp-"
		/* 4 */ "pppppppppppppppp"
		/* 5 */ "................"
		/* 6 */ "--pmppppzZbB...."
		/* 7 */ "jjjjjjjjjjjjjjjj"
		/* 8 */ "BZ-Bmmmmmmmmmmmm"
		/* 9 */ "..........-....."
		/* a */ "oooo....bz......"
		/* b */ "bbbbbbbbvvvvvvvv"
		/* c */ "BBw.ppBZe.w..b-."
		/* d */ "mmmm---.mmmmmmmm"
		/* e */ "jjjjbbbbJJ-j...."
		/* f */ "p.pp..gG......mm"
};

static const char map_0f[] = {
	/*       0123456789abcdef */
	/* 0 */ "mmmm-.....-.-m.-"
		/* 1 */ "mmmmmmmmmmmmmmmm"
		/* 2 */ "rrrr----mmmmmmmm"
		/* 3 */ "......-.p-p-----"
		/* 4 */ "mmmmmmmmmmmmmmmm"
		/* 5 */ "mmmmmmmmmmmmmmmm"
		/* 6 */ "mmmmmmmmmmmmmmmm"
		/* 7 */ "BBBBmmm.mm--mmmm"
		/* 8 */ "JJJJJJJJJJJJJJJJ"
		/* 9 */ "mmmmmmmmmmmmmmmm"
		/* a */ "...mBm--...mBmmm"
		/* b */ "mmmmmmmmmmBmmmmm"
		/* c */ "mmBmBBBm........"
		/* d */ "mmmmmmmmmmmmmmmm"
		/* e */ "mmmmmmmmmmmmmmmm"
		/* f */ "mmmmmmmmmmmmmmmm"
};

#define OPERAND_SIZE 0x66
#define ADDRESS_SIZE 0x67
#define LOCK         0xf0
#define REPNE        0xf2
#define REP          0xf3
#define VEX2         0xc5
#define VEX3         0xc4
#define EVEX         0x62
#define XOP          0x8f /* also pop, which has ModRM.reg 0 */

#define REX_W 0x08
#define REX_R 0x04
#define REX_X 0x02
#define REX_B 0x01

/* The bytes that are left. */
struct bytes {
	const u8 *text;
	unsigned at, size;
	bool missing; /* a byte behind the end was asked for */
};

static u8 peek(struct bytes *b)
{
	if (b->at < b->size)
		return b->text[b->at];
	b->missing = true;
	return 0;
}

static u8 next(struct bytes *b)
{
	u8 byte = peek(b);

	b->at++;
	return byte;
}

/* The next n bytes, sign-extended. */
static s64 next_signed(struct bytes *b, unsigned n)
{
	u64 value = 0;

	for (unsigned i = 0; i < n; i++)
		value |= (u64)next(b) << (8 * i);
	return (s64)(value << (64 - 8 * n)) >> (64 - 8 * n);
}

/* ---- prefixes ---- */

/* Legacy prefixes in any order and number, then at most one REX that counts. */
static void decode_prefixes(struct insn *insn, struct bytes *b)
{
	for (;; b->at++) {
		u8 byte = peek(b);

		switch (byte) {
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e: /* es, cs, ss, ds; branch hints */
			break;
		case 0x64:
		case 0x65:
			insn->segment = byte;
			break;
		case OPERAND_SIZE:
			insn->data16 = true;
			break;
		case ADDRESS_SIZE:
			insn->addr32 = true;
			break;
		case LOCK:
			insn->lock = true;
			break;
		case REPNE:
		case REP:
			insn->rep = byte;
			break;
		default:
			if ((byte & 0xf0) != 0x40)
				return;
			insn->rex = byte; /* a prefix behind it takes it away */
			continue;
		}
		insn->rex = 0;
		if (b->missing || b->at >= MAX_INSN_SIZE)
			return;
	}
}

/* REX's bits of a prefix that has R, X and B inverted in its upper bits. */
static u8 inverted_rxb(u8 byte)
{
	return (u8)(~byte >> 5 & 7);
}

static void decode_vex2(struct insn *insn, struct bytes *b)
{
	insn->rex = ~next(b) & 0x80 ? REX_R : 0;
	insn->map = INSN_MAP_0F;
}

static int decode_vex3(struct insn *insn, struct bytes *b)
{
	u8 first = next(b);
	unsigned first_map = insn->vex == XOP ? INSN_MAP_XOP8 : INSN_MAP_0F;

	insn->map = first & 0x1f;
	insn->rex = inverted_rxb(first) | (next(b) & 0x80 ? REX_W : 0);
	return insn->map >= first_map && insn->map <= first_map + 2 ? 0 : -EINVAL;
}

static int decode_evex(struct insn *insn, struct bytes *b)
{
	u8 first = next(b), second = next(b);

	next(b);
	insn->map = first & 7;
	insn->rex = inverted_rxb(first) | (second & 0x80 ? REX_W : 0);
	/* Bit 3 of the first byte is 0, bit 2 of the second one is 1. */
	if ((first & 0x08) || !(second & 0x04))
		return -EINVAL;
	return insn->map == 0 || insn->map == 4 || insn->map == 7 ? -EINVAL : 0;
}

/* The escape bytes, or the prefix that stands for them, up to the opcode. */
static int decode_map(struct insn *insn, struct bytes *b)
{
	u8 byte = peek(b);
	int err = 0;

	if (byte == 0x0f) {
		b->at++;
		insn->map = INSN_MAP_0F;
		byte = peek(b);
		if (byte == 0x38 || byte == 0x3a) {
			b->at++;
			insn->map = byte == 0x38 ? INSN_MAP_0F38 : INSN_MAP_0F3A;
		}
		return 0;
	}
	if (byte != VEX2 && byte != VEX3 && byte != EVEX && byte != XOP)
		return 0;
	if (byte == XOP) {
		b->at++;
		if ((peek(b) & 0x1f) < INSN_MAP_XOP8) {
			b->at--;
			return 0;
		}
		b->at--;
	}
	/*
	 * These prefixes have bits for 66, f2, f3 and REX. With the real ones they are undefined.
	 */
	if (insn->data16 || insn->rep || insn->lock || insn->rex)
		err = -EINVAL;
	insn->vex = next(b);
	if (byte == VEX2)
		decode_vex2(insn, b);
	else if (byte == EVEX)
		err = err ? err : decode_evex(insn, b);
	else
		err = err ? err : decode_vex3(insn, b);
	return err;
}

/* ---- operands ---- */

/* ModRM, SIB and displacement: SDM 2A, tables 2-2 and 2-3. */
static void decode_modrm(struct insn *insn, struct bytes *b, bool registers_only)
{
	/*
	 * LAB 14: Behind ModRM may be a SIB byte, and behind that a displacement of 1 or 4 bytes.
	 * Starts as: (void)registers_only;
	 * insn->modrm_at = (u8)b->at;
	 * insn->modrm = next(b);
	 */
	bool wide = false;
	u8 mod;

	insn->modrm_at = (u8)b->at;
	insn->modrm = next(b);
	mod = insn_modrm_mod(insn);
	if (mod == 3 || registers_only)
		return;
	if (insn_modrm_rm(insn) == 4) {
		insn->sib = next(b);
		wide = mod == 0 && (insn->sib & 7) == 5;
	} else if (mod == 0 && insn_modrm_rm(insn) == 5) {
		wide = insn->rip = true;
	}
	if (mod == 1 || mod == 2 || wide) {
		insn->disp_at = (u8)b->at;
		insn->disp_size = mod == 1 ? 1 : 4;
		insn->disp = (s32)next_signed(b, insn->disp_size);
	}
	/* END LAB 14 */
}

static void decode_imm(struct insn *insn, struct bytes *b, unsigned size)
{
	insn->imm_at = (u8)b->at;
	insn->imm_size = (u8)size;
	insn->imm = next_signed(b, size);
}

/* What the tables say of an opcode. */
static char operands(const struct insn *insn)
{
	char kind;

	switch (insn->map) {
	case INSN_MAP_1BYTE:
		return one_byte_map[insn->opcode];
	case INSN_MAP_0F:
		kind = map_0f[insn->opcode];
		/* With VEX there are no jumps; without operands there is only vzeroupper (77). */
		if (insn->vex && kind != 'm' && kind != 'B' &&
		    !(insn->opcode == 0x77 && insn->vex != EVEX))
			return '-';
		return kind;
	case INSN_MAP_0F3A:
	case INSN_MAP_XOP8:
		return 'B';
	case INSN_MAP_XOPA:
		return 'Z';
	}
	return 'm';
}

/* extrq and insertq of AMD's SSE4a have two immediate bytes. */
static bool is_sse4a(const struct insn *insn)
{
	return insn->map == INSN_MAP_0F && insn->opcode == 0x78 && !insn->vex &&
	       insn_modrm_mod(insn) == 3 && (insn->data16 || insn->rep == REPNE);
}

static int decode_operands(struct insn *insn, struct bytes *b, char kind)
{
	unsigned imm_z = insn->data16 && !(insn->rex & REX_W) ? 2 : 4;

	if (strchr("mBZgGr", kind))
		decode_modrm(insn, b, kind == 'r');
	switch (kind) {
	case '.':
	case 'm':
	case 'r':
		if (is_sse4a(insn))
			decode_imm(insn, b, 2);
		return 0;
	case 'b':
	case 'B':
	case 'j':
		decode_imm(insn, b, 1);
		return 0;
	case 'J':
		decode_imm(insn, b, 4);
		return 0;
	case 'z':
	case 'Z':
		decode_imm(insn, b, insn->vex ? 4 : imm_z);
		return 0;
	case 'w':
		decode_imm(insn, b, 2);
		return 0;
	case 'e':
		decode_imm(insn, b, 2);
		insn->imm_size = 3;
		next(b);
		return 0;
	case 'v':
		decode_imm(insn, b, insn->rex & REX_W ? 8 : imm_z);
		return 0;
	case 'g':
	case 'G':
		if (insn_modrm_reg(insn) < 2)
			decode_imm(insn, b, kind == 'g' ? 1 : imm_z);
		return 0;
	case 'o':
		insn->disp_at = (u8)b->at;
		insn->disp_size = insn->addr32 ? 4 : 8;
		b->at += insn->disp_size;
		b->missing |= b->at > b->size;
		return 0;
	}
	return -EINVAL;
}

int insn_decode(struct insn *insn, const u8 *text, size_t size)
{
	struct bytes b = { .text = text, .size = (unsigned)min(size, (size_t)MAX_INSN_SIZE) };
	int err;

	*insn = (struct insn){};
	decode_prefixes(insn, &b);
	err = decode_map(insn, &b);
	insn->opcode_at = (u8)b.at;
	insn->opcode = next(&b);
	if (!err && !b.missing)
		err = decode_operands(insn, &b, operands(insn));
	if (b.missing)
		return size < MAX_INSN_SIZE ? -ENODATA : -EINVAL;
	insn->length = (u8)b.at;
	return err;
}

/* ---- where it goes to ---- */

static enum insn_flow flow_of_group5(const struct insn *insn)
{
	switch (insn_modrm_reg(insn)) {
	case 2:
		return INSN_CALL_MODRM;
	case 4:
		return INSN_JMP_MODRM;
	case 3:
	case 5:
	case 7:
		return INSN_OTHER;
	}
	return INSN_NEXT;
}

static enum insn_flow flow_of_0f(const struct insn *insn)
{
	switch (insn->opcode) {
	case 0x05: /* syscall */
	case 0x07: /* sysret */
	case 0x0b: /* ud2 */
	case 0x34: /* sysenter */
	case 0x35: /* sysexit */
	case 0xaa: /* rsm */
	case 0xb9: /* ud1 */
	case 0xff: /* ud0 */
		return INSN_OTHER;
	case 0x80 ... 0x8f:
		return INSN_JCC;
	}
	return INSN_NEXT;
}

enum insn_flow insn_flow(const struct insn *insn)
{
	if (insn->vex)
		return INSN_NEXT;
	if (insn->map == INSN_MAP_0F)
		return flow_of_0f(insn);
	if (insn->map != INSN_MAP_1BYTE)
		return INSN_NEXT;
	switch (insn->opcode) {
	case 0x70 ... 0x7f:
		return INSN_JCC;
	case 0xe0 ... 0xe3:
		return INSN_LOOP;
	case 0xe8:
		return INSN_CALL;
	case 0xe9:
	case 0xeb:
		return INSN_JMP;
	case 0xc2:
	case 0xc3:
		return INSN_RET;
	case 0xc7:
		return insn->modrm == 0xf8 ? INSN_OTHER : INSN_NEXT; /* xbegin */
	case 0xca:
	case 0xcb: /* far returns */
	case 0xcc:
	case 0xcd:
	case 0xcf: /* int3, int, iret */
	case 0xf1: /* int1 */
	case 0xf4: /* hlt */
		return INSN_OTHER;
	case 0xff:
		return flow_of_group5(insn);
	}
	return INSN_NEXT;
}
