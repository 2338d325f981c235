/*
 * Decodes the instructions that standard input has in hexadecimal, one on a line, and prints their parts.
 * sources: arch/x86_64/probes/insn.c
 */
#include <stdio.h>
#include <string.h>

#include "arch/probes/insn.h"

int main(void)
{
	char line[256];

	while (fgets(line, sizeof(line), stdin)) {
		struct insn insn;
		u8 code[64];
		unsigned byte;
		size_t n = 0;
		int error;

		for (const char *hex = line; n < sizeof(code) && sscanf(hex, "%2x", &byte) == 1; hex += 2)
			code[n++] = (u8)byte;
		error = insn_decode(&insn, code, n);
		if (error)
			printf("error %d\n", error);
		else
			printf("%u %u %d %u %ld %u %x %x %u\n", insn.length, insn.disp_size, insn.rip ? 1 : 0, insn.imm_size, (long)insn.disp,
			       insn.modrm_at, insn.modrm, insn.sib, insn.disp_at);
	}
	return 0;
}
