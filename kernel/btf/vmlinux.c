/*
 * The kernel's own types. The build lets pahole(1) write them from the debug information, and links
 * them into the image. A kernel without pahole has an empty section.
 */
#include "kernel/btf/btf.h"
#include "kernel/btf/vmlinux.h"
#include "kernel/kallsyms.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/mutex.h"
#include "kernel/sections.h"

static DEFINE_MUTEX(btf_mutex);
static bool loaded;              /* [btf_mutex] to write */
static struct btf vmlinux;       /* [btf_mutex]; constant when it is usable */
static const struct btf *usable; /* [btf_mutex] to write, a release store; NULL: no types */

/* Not in the boot: it takes two million instructions, and few users need types. */
void btf_vmlinux_load(void)
{
	size_t size = btf_vmlinux_size();
	int error = 0;

	if (READ_ONCE(loaded))
		return;
	mutex_lock(&btf_mutex);
	if (size && !loaded) {
		error = btf_parse(&vmlinux, __start_BTF, size) ?: btf_index_funcs(&vmlinux);
		if (!error)
			smp_store_release(&usable, &vmlinux);
		else
			btf_free(&vmlinux);
	}
	WRITE_ONCE(loaded, true);
	mutex_unlock(&btf_mutex);
	if (error)
		pr_warn("BTF: the types of the kernel are not usable: %d\n", error);
}

const struct btf *btf_vmlinux(void)
{
	return smp_load_acquire(&usable);
}

static int count_symbol(void *data, unsigned long address __unused)
{
	return ++*(unsigned *)data > 1;
}

/* Whether another function has the name, too: BTF then has the prototype of one of them. */
static bool is_ambiguous(const char *name)
{
	unsigned count = 0;

	return kallsyms_on_each_match_symbol(count_symbol, name, &count);
}

const struct btf_type *btf_proto_at(unsigned long address)
{
	const struct btf *btf = btf_vmlinux();
	char name[KSYM_NAME_LEN];
	unsigned long offset;

	if (!btf || address >= (unsigned long)_end ||
	    !kallsyms_lookup(address, NULL, &offset, name) || offset || is_ambiguous(name))
		return NULL;
	return btf_find_func_proto(btf, name);
}
