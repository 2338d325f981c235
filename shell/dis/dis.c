/*
 * dis: shows the first bytes of a function as memory has them now, and decodes its call site and
 * its static branches.
 */
#include "arch/text_alias.h"
#include "arch/text_patch.h"
#include "kernel/jump_label.h"
#include "kernel/kallsyms.h"
#include "shell/shell.h"

#define DIS_BYTES 16

/* Shows the instruction at addr, if it is one that a site can have. */
static void show_instruction(struct call *call, unsigned long addr, const u8 *insn)
{
	unsigned long target = text_decode_target(insn, addr);

	switch (insn[0]) {
	case 0xcc:
		out_printf(call, "  int3\n");
		break;
	case 0xe8:
	case 0xe9:
		out_printf(call, "  %s %016lx <%ps>\n", insn[0] == 0xe8 ? "call" : "jmp", target,
			   (void *)target);
		break;
	default:
		out_printf(call, "  %s\n",
			   memcmp(insn, text_nop5, TEXT_PATCH_SIZE) ? "no call site" : "nop");
	}
}

/* Shows each static branch of the function at addr: its instruction, and the name of its key. */
static void show_static_branches(struct call *call, unsigned long addr)
{
	char name[KSYM_NAME_LEN];
	struct jump_entry entry;
	unsigned long size, site;

	if (!kallsyms_lookup(addr, &size, NULL, name))
		return;
	for (site = addr; static_branch_find(site, &entry); site++) {
		u8 insn[TEXT_PATCH_SIZE];

		site = jump_entry_code(&entry);
		if (site >= addr + size)
			return;
		memcpy(insn, (const void *)site, TEXT_PATCH_SIZE);
		out_printf(call, "  +%#lx: %*ph  ", site - addr, TEXT_PATCH_SIZE, insn);
		if (insn[0] == 0xe9)
			out_printf(call, "jmp %pS", (void *)jump_entry_target(&entry));
		else
			out_printf(call, insn[0] == 0xcc ? "int3" : "nop");
		out_printf(call, "  %ps\n", (void *)jump_entry_key(&entry));
	}
}

static long dis(struct call *call, const char *name)
{
	unsigned long addr = kallsyms_lookup_name(name);
	u8 bytes[DIS_BYTES];

	if (!addr || !is_text_address(addr) || !is_text_address(addr + DIS_BYTES - 1))
		return -ENOENT;
	memcpy(bytes, (const void *)addr, DIS_BYTES);
	out_printf(call, "%016lx <%s>:\n  %*ph\n", addr, name, DIS_BYTES, bytes);
	show_instruction(call, addr, bytes);
	show_static_branches(call, addr);
	return 0;
}
SHELL_COMMAND("dis", "", 1, "FUNCTION...",
	      "show what a function's call site and static branches are now", .operand = dis);
