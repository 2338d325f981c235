/*
 * Where a probe can be: at an instruction of the kernel's text or a module's, with few exceptions.
 */
#include "kernel/errno.h"
#include "kernel/jump_label.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/module_list.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sections.h"
#include "trace/ftrace/ftrace.h"
#include "trace/kprobes/internal.h"

static const struct range {
	const char *start, *end;
} blacklist[] = {
	/* The way into the kernel and out of it, where the stack or GS may be the program's. */
	{ __entry_text_start, __entry_text_end },
	/* What the breakpoint handler executes: each function there has its reason at __kprobes. */
	{ __kprobes_text_start, __kprobes_text_end },
};

void kprobe_blacklist_for_each(void (*fn)(void *data, unsigned long start, unsigned long end),
			       void *data)
{
	for (unsigned i = 0; i < ARRAY_SIZE(blacklist); i++)
		fn(data, (unsigned long)blacklist[i].start, (unsigned long)blacklist[i].end);
}

static bool is_blacklisted(unsigned long addr)
{
	for (unsigned i = 0; i < ARRAY_SIZE(blacklist); i++)
		if (addr >= (unsigned long)blacklist[i].start &&
		    addr < (unsigned long)blacklist[i].end)
			return true;
	return false;
}

bool kprobe_in_module(unsigned long addr, const struct module *module, bool only_init)
{
	return within_module_region(module, MOD_INIT_TEXT, addr) ||
	       (!only_init && within_module_region(module, MOD_TEXT, addr));
}

bool kprobe_module_is_ready(const struct module *module)
{
	return READ_ONCE(module->may_be_probed) && READ_ONCE(module->state) < MODULE_STATE_GOING;
}

/* The end of the text that addr is in; 0: it is in none. */
static unsigned long text_end(unsigned long addr)
{
	unsigned long end = 0;
	const struct module *module;

	if (addr >= (unsigned long)_stext && addr < (unsigned long)_etext)
		return (unsigned long)_etext;
	rcu_read_lock();
	module = __module_address(addr);
	for (unsigned i = 0; module && i < MOD_REGIONS; i++) {
		const struct module_memory *memory = &module->memory[i];

		if ((i == MOD_TEXT || i == MOD_INIT_TEXT) &&
		    within_module_region(module, i, addr) && kprobe_module_is_ready(module))
			end = memory->base + memory->size;
	}
	rcu_read_unlock();
	return end;
}

size_t kprobe_read_text(unsigned long addr, u8 bytes[MAX_INSN_SIZE])
{
	size_t size = min((size_t)MAX_INSN_SIZE, (size_t)(text_end(addr) - addr));

	memcpy(bytes, (const void *)addr, size);
	for (size_t i = 0; i < size; i++)
		kprobe_original_byte(addr + i, &bytes[i]);
	return size;
}

/* Text patching may be writing to sites. */
unsigned kprobe_instruction_size(unsigned long addr, struct insn *insn, bool *patched)
{
	u8 bytes[MAX_INSN_SIZE];
	unsigned site = ftrace_location(addr) ? FTRACE_SITE_SIZE : static_key_site_size(addr);

	*patched = site;
	if (site)
		return site;
	return insn_decode(insn, bytes, kprobe_read_text(addr, bytes)) ? 0 : insn->length;
}

/* Decodes the function from its start to addr. */
static bool is_boundary(unsigned long addr)
{
	char name[KSYM_NAME_LEN];
	unsigned long offset, at;
	struct insn insn;
	bool patched;

	if (!kallsyms_lookup(addr, NULL, &offset, name))
		return false;
	for (at = addr - offset; at < addr;) {
		unsigned size = kprobe_instruction_size(at, &insn, &patched);

		if (!size)
			return false;
		at += size;
	}
	return at == addr;
}

static int find_address(const struct kprobe *p, unsigned long *addr)
{
	if (!p->symbol_name == !p->addr)
		return -EINVAL;
	*addr = p->addr;
	if (p->symbol_name) {
		*addr = kallsyms_lookup_name(p->symbol_name);
		if (!*addr)
			return -ENOENT;
	}
	*addr += p->offset;
	return 0;
}

int kprobe_address(const struct kprobe *p, unsigned long *addr)
{
	int error = find_address(p, addr);

	if (error)
		return error;
	if (!text_end(*addr) || is_blacklisted(*addr))
		return -EINVAL;
	if (!is_boundary(*addr))
		return -EILSEQ;
	return static_key_site_size(*addr) ? -EINVAL : 0;
}
