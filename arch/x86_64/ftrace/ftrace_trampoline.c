/*
 * Trampolines: copies of ftrace_caller and its like that call the callback of one ops
 * directly, without a walk of the list of ops. A word after the code holds the address of the ops.
 */
#include "arch/ftrace/ftrace.h"
#include "arch/patch/text_alias.h"
#include "arch/patch/text_area.h"
#include "arch/patch/text_patch.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"

#define TRAMPOLINE_MAX 512

/* Addresses in the code that trampolines are copied from (ftrace_entry.asm). */
struct trampoline_template {
	unsigned long start;
	unsigned long load_ops; /* mov rdx, [rip + displacement], LOAD_OPS_SIZE bytes */
	unsigned long call;     /* call rel32 */
	unsigned long end;
};
extern const struct trampoline_template ftrace_templates[2]; /* by enum ftrace_save */

#define LOAD_OPS_SIZE 7

unsigned long arch_ftrace_trampoline_create(enum ftrace_save save, ftrace_func_t func,
					    struct ftrace_ops *op, size_t *size)
{
	const struct trampoline_template *template = &ftrace_templates[save];
	size_t code_size = template->end - template->start, op_at = ALIGN(code_size, sizeof(op));
	size_t load = template->load_ops - template->start, call = template->call - template->start;
	u8 code[TRAMPOLINE_MAX];
	unsigned long trampoline;
	s32 displacement;

	*size = op_at + sizeof(op);
	if (*size > sizeof(code))
		return 0;
	trampoline = text_area_alloc(*size);
	if (!trampoline)
		return 0;
	memset(code, 0, sizeof(code));
	memcpy(code, (const void *)template->start, code_size);
	displacement = (s32)(op_at - (load + LOAD_OPS_SIZE));
	memcpy(code + load + LOAD_OPS_SIZE - sizeof(displacement), &displacement,
	       sizeof(displacement));
	text_encode_call(code + call, trampoline + call, (unsigned long)func);
	memcpy(code + op_at, &op, sizeof(op));
	if (text_patch_fill(trampoline, code, *size)) {
		text_area_free(trampoline, *size);
		return 0;
	}
	return trampoline;
}

void arch_ftrace_trampoline_free(unsigned long trampoline, size_t size)
{
	text_area_free(trampoline, size);
}

void arch_ftrace_trampoline_patch(struct text_patch *patch, unsigned long trampoline,
				  enum ftrace_save save, ftrace_func_t from, ftrace_func_t to)
{
	const struct trampoline_template *template = &ftrace_templates[save];

	patch->addr = trampoline + (template->call - template->start);
	text_encode_call(patch->old, patch->addr, (unsigned long)from);
	text_encode_call(patch->new, patch->addr, (unsigned long)to);
}

notrace /* an oops calls it while all functions may call the callback that has faulted */
bool arch_is_ftrace_caller(unsigned long ip)
{
	for (unsigned i = 0; i < ARRAY_SIZE(ftrace_templates); i++)
		if (ip >= ftrace_templates[i].start && ip < ftrace_templates[i].end)
			return true;
	return ip >= (unsigned long)return_to_handler && ip < (unsigned long)return_to_handler_end;
}

/*
 * The opcode of test eax, imm32. Written over the opcode of call rel32, it makes an instruction of
 * the same length without effect. One byte changes, so no CPU can see half of the change.
 */
#define TEST_EAX 0xa9

notrace /* the same */
void arch_ftrace_trampoline_silence(unsigned long trampoline, enum ftrace_save save)
{
	const struct trampoline_template *template = &ftrace_templates[save];

	text_write_byte(trampoline + (template->call - template->start), TEST_EAX);
}

notrace /* the same */
void arch_ftrace_callers_silence(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(ftrace_templates); i++)
		text_write_byte(ftrace_templates[i].call, TEST_EAX);
}

/* In ftrace_entry.asm. */
EXPORT_SYMBOL(__fentry__);
EXPORT_SYMBOL_GPL(ftrace_stub);
