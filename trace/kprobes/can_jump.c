/*
 * Where a jump can replace instructions. It has 5 bytes, so it covers the probed instruction and
 * often some behind it. All of them are executed in a detour then, and the bytes behind the first
 * one are no instructions any more. So:
 *
 *	- each can be executed elsewhere: no jump, call or return; no site that the kernel patches;
 *	  no instruction of the exception table, and no return address of a fault fixup
 *	- no other probe is at one of them
 *	- nothing jumps to one behind the first. The whole function is decoded for that. A function
 *	  with an indirect jump is refused. So is a function that the compiler has split into two
 *	  parts, because the parts jump into each other
 */
#include "kernel/jump_label.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "trace/ftrace/ftrace.h"
#include "trace/kprobes/internal.h"

struct range {
	unsigned long start, end;
};

static bool in_range(const struct range *range, unsigned long addr)
{
	return addr >= range->start && addr < range->end;
}

/* The function that addr is in. False: none, or a part of one that the compiler has split. */
static bool find_function(unsigned long addr, struct range *function)
{
	char name[KSYM_NAME_LEN], cold[KSYM_NAME_LEN];
	unsigned long size, offset;

	if (!kallsyms_lookup(addr, &size, &offset, name) || strstr(name, ".cold"))
		return false;
	function->start = addr - offset;
	function->end = function->start + size;
	snprintf(cold, sizeof(cold), "%s.cold", name);
	return !kallsyms_lookup_name(cold);
}

/* Copies the instructions from addr on that a jump would cover. Returns their length, or 0. */
static u8 copy_covered(unsigned long addr, const struct range *function,
		       u8 bytes[DETOUR_MAX_LENGTH])
{
	u8 length = 0;

	while (length < DETOUR_JUMP_SIZE) {
		unsigned long at = addr + length;
		u8 text[MAX_INSN_SIZE];
		struct insn insn;
		bool patched;

		if (at >= function->end || !kprobe_instruction_size(at, &insn, &patched) ||
		    patched || !arch_kprobe_can_move(&insn))
			return 0;
		kprobe_read_text(at, text);
		memcpy(bytes + length, text, insn.length);
		length += insn.length;
	}
	return addr + length <= function->end ? length : 0;
}

/* Whether the instruction at ip may continue in the range. */
static bool may_jump_into(const struct insn *insn, unsigned long ip, const struct range *range)
{
	switch (insn_flow(insn)) {
	case INSN_JMP:
	case INSN_JCC:
	case INSN_LOOP:
	case INSN_CALL:
		return in_range(range, insn_target(insn, ip));
	case INSN_JMP_MODRM:
		return true;
	case INSN_OTHER: /* xbegin: at its operand, when the transaction aborts */
		return insn->map == INSN_MAP_1BYTE && insn->opcode == 0xc7;
	default:
		return false;
	}
}

static bool function_jumps_into(const struct range *function, const struct range *range)
{
	unsigned size;

	for (unsigned long at = function->start; at < function->end; at += size) {
		struct insn insn;
		bool patched;

		size = kprobe_instruction_size(at, &insn, &patched);
		if (!size || (!patched && may_jump_into(&insn, at, range)))
			return true;
	}
	return static_key_jumps_into(range->start, range->end);
}

u8 kprobe_jump_length(unsigned long addr, u8 bytes[DETOUR_MAX_LENGTH])
{
	struct range function, tail;
	u8 length;

	if (!find_function(addr, &function))
		return 0;
	length = copy_covered(addr, &function, bytes);
	if (!length || !arch_detour_can_cover(addr, addr + length))
		return 0;
	tail = (struct range){ addr + 1, addr + length };
	for (unsigned long at = tail.start; at < tail.end; at++)
		if (kprobe_site_at(at))
			return 0;
	return function_jumps_into(&function, &tail) ? 0 : length;
}
