/* dis: a function's first bytes as they are in memory now, and what they do; to watch a call site
 * change. */
#include "arch/x86_64/text_alias.h"
#include "arch/x86_64/text_patch.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "shell/command.h"

#define DIS_BYTES 16

/* The instruction at addr, as far as a call site can have it. */
static void show_instruction(struct sh_io *io, unsigned long addr, const u8 *insn)
{
	switch (insn[0]) {
	case 0xcc:
		out_puts(io, "  int3\n");
		return;
	case 0xe8:
	case 0xe9:
		out_printf(io, "  %s %016lx <%ps>\n", insn[0] == 0xe8 ? "call" : "jmp",
			   text_decode_target(insn, addr), (void *)text_decode_target(insn, addr));
		return;
	default:
		out_puts(io,
			 memcmp(insn, text_nop5, TEXT_PATCH_SIZE) ? "  no call site\n" : "  nop\n");
	}
}

static int cmd_dis(struct sh_io *io, int argc, char **argv)
{
	int status = 0;

	if (argc < 2)
		return usage(io);
	for (int i = 1; i < argc; i++) {
		unsigned long addr = kallsyms_lookup_name(argv[i]);
		u8 bytes[DIS_BYTES];

		if (!addr || !is_text_address(addr) || !is_text_address(addr + DIS_BYTES - 1)) {
			err_printf("dis: %s: no such function\n", argv[i]);
			status = 1;
			continue;
		}
		memcpy(bytes, (const void *)addr, DIS_BYTES);
		out_printf(io, "%016lx <%s>:\n  %*ph\n", addr, argv[i], DIS_BYTES, bytes);
		show_instruction(io, addr, bytes);
	}
	return status;
}

const struct sh_command_def debug_commands[] = {
	{ "dis", cmd_dis, "FUNCTION...",
	  "show first bytes of functions, and what their call site does now" },
	{ 0 },
};
