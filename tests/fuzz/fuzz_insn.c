/*
 * The decoder of instructions against Capstone: what both accept has the same length.
 * sources: arch/x86_64/probes/insn.c
 * libraries: -lcapstone
 */
#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "arch/probes/insn.h"

/* Where Capstone 4 differs from Intel's manual (SDM 2B). objdump agrees with the decoder in all of these. */
static bool known_difference(const struct insn *insn)
{
	if (insn->map == INSN_MAP_0F && !insn->vex) {
		/* ud1 and ud0 have a ModRM byte. */
		if (insn->opcode == 0xb9 || insn->opcode == 0xff)
			return true;
		/* vmread and vmwrite with 66 or f2 are undefined, or AMD's extrq and insertq. */
		if (insn->opcode == 0x78 || insn->opcode == 0x79)
			return insn->data16 || insn->addr32 || insn->rep;
	}
	/* EVEX with rounding in registers: Capstone reads a byte too many. */
	if (insn->vex == 0x62 && insn_modrm_mod(insn) == 3)
		return true;
	/* f2 and f3 do not take the effect of 66 on an immediate operand away, and ret has imm16 with REX.W, too. */
	if (insn->imm_size == 2 && ((insn->data16 && insn->rep) || insn_flow(insn) == INSN_RET))
		return true;
	/* Near jumps and calls have a rel32 with the prefixes 66 and 67, too; Capstone follows AMD. */
	return (insn->data16 || insn->addr32) && insn->imm_size == 4 && insn_flow(insn) != INSN_NEXT;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static csh capstone;
	static cs_insn *theirs;
	const u8 *code = data;
	u64 address = 0;
	struct insn ours;
	size_t left = size;

	if (!capstone) {
		CHECK(!cs_open(CS_ARCH_X86, CS_MODE_64, &capstone));
		theirs = cs_malloc(capstone);
	}
	if (insn_decode(&ours, data, size))
		return 0;
	CHECK(ours.length > 0 && ours.length <= MAX_INSN_SIZE && ours.length <= size);
	CHECK(ours.disp_at + ours.disp_size <= ours.length && ours.imm_at + ours.imm_size <= ours.length);
	if (!cs_disasm_iter(capstone, &code, &left, &address, theirs) || theirs->size == ours.length ||
	    known_difference(&ours))
		return 0;
	fprintf(stderr, "%s %s: %u bytes here, %u there\n", theirs->mnemonic, theirs->op_str, ours.length, theirs->size);
	abort();
}
