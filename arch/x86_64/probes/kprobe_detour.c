/* Makes the code of detours: kprobe_detour.h. */
#include "arch/probes/kprobe_detour.h"

#include "arch/irq/extable.h"
#include "arch/probes/kprobes.h"
#include "arch/patch/text_area.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"

#define INT3        0xcc
#define DETOUR_SIZE 64UL

BUILD_BUG_ON(DETOUR_COPIES_AT + DETOUR_MAX_LENGTH + DETOUR_JUMP_SIZE > DETOUR_SIZE);

void kprobe_detour_entry(void);

bool arch_detour_can_cover(unsigned long start, unsigned long end)
{
	return !exception_table_touches(start, end);
}

static int copy_instructions(struct arch_detour *detour, u8 *code)
{
	struct insn insn;
	int error = 0;

	for (unsigned at = 0; at < detour->length && !error; at += insn.length) {
		const u8 *text = detour->original + at;

		error = insn_decode(&insn, text, detour->length - at);
		if (!error)
			error = arch_kprobe_copy_insn(code + DETOUR_COPIES_AT + at,
						      arch_detour_copies(detour) + at, &insn, text,
						      detour->addr + at);
	}
	return error;
}

int arch_detour_prepare(struct arch_detour *detour, unsigned long addr, const u8 *text, u8 length,
			void *data)
{
	u8 code[DETOUR_SIZE];
	size_t back = DETOUR_COPIES_AT + length;
	int error;

	detour->addr = addr;
	detour->length = length;
	memcpy(detour->original, text, length);
	detour->code = text_area_alloc(DETOUR_SIZE);
	if (!detour->code)
		return -ENOMEM;
	memset(code, INT3, sizeof(code));
	memcpy(code, &data, sizeof(data));
	text_encode_call(code + DETOUR_ENTRY_AT, detour->code + DETOUR_ENTRY_AT,
			 (unsigned long)kprobe_detour_entry);
	text_encode_jmp(code + back, detour->code + back, addr + length);
	error = copy_instructions(detour, code);
	if (!error)
		error = text_patch_fill(detour->code, code, sizeof(code));
	if (error)
		arch_detour_release(detour);
	return error;
}

void arch_detour_release(struct arch_detour *detour)
{
	text_area_free(detour->code, DETOUR_SIZE);
}

void arch_detour_patch(struct text_patch *patch, const struct arch_detour *detour, bool jump)
{
	u8 *int3 = jump ? patch->old : patch->new;

	patch->addr = detour->addr;
	memcpy(int3, detour->original, DETOUR_JUMP_SIZE);
	int3[0] = INT3;
	text_encode_jmp(jump ? patch->new : patch->old, detour->addr,
			detour->code + DETOUR_ENTRY_AT);
}
