/* Instances whose buffer survives a reboot: see trace/core/trace_persistent.h. */
#include "trace/core/trace_persistent.h"

#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/reserve_mem.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/sections.h"
#include "trace/core/files.h"
#include "trace/core/valid_entry.h"

#define KEY_FACTOR 0x100000001b3UL

/*
 * Returns a number that differs between builds of the kernel. The read-only data has all symbols
 * with their addresses, and the formats of all events.
 */
static u64 build_key(void)
{
	u64 key = KEY_FACTOR;

	for (const u64 *word = (const u64 *)__start_rodata; word < (const u64 *)__end_rodata;
	     word++) {
		key = (key ^ *word) * KEY_FACTOR;
		key ^= key >> 29;
	}
	return key;
}

/* ---- the instance ---- */

static struct trace_buffer *persistent_alloc(struct trace_persistent *persistent)
{
	struct trace_buffer *buffer =
		ring_buffer_alloc_range(persistent->area, persistent->size, build_key(),
					RB_FL_OVERWRITE, trace_entry_is_valid, &persistent->found);

	persistent->last_boot = buffer && persistent->found.pages;
	return buffer;
}

static const char *why_left_out(const struct ring_buffer_recovery *found)
{
	switch (found->previous) {
	case RB_PREVIOUS_OTHER_KEY:
		return "another build of the kernel has written it";
	case RB_PREVIOUS_OTHER_SHAPE:
		return "the size of the area or the number of CPUs has changed";
	default:
		return NULL;
	}
}

static int last_boot_info_show(struct seq_file *m, void *v __unused)
{
	const struct trace_cpu *where = m->private;
	const struct trace_persistent *persistent = where->tr->persistent;
	const struct ring_buffer_recovery *found = &persistent->found;
	const char *why = why_left_out(found);

	if (READ_ONCE(persistent->last_boot))
		seq_printf(m, "%lx\t[kernel]\n", (unsigned long)_stext);
	else
		seq_puts(m, "# Current\n");
	if (why)
		seq_printf(m, "# the last boot's trace is left out: %s\n", why);
	seq_printf(m, "# sub-buffers: %llu kept, %llu damaged\n", (unsigned long long)found->pages,
		   (unsigned long long)found->damaged);
	seq_printf(m, "# entries: %llu kept, %llu hidden\n", (unsigned long long)found->events,
		   (unsigned long long)found->hidden);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(last_boot_info);

TRACE_FILE(last_boot_info, 0440, &last_boot_info_fops, .only_persistent = true);

/*
 * The report of a panic is long: recorded, it would overwrite what led to the panic. Any context;
 * takes no lock.
 */
static void stop_at_panic(void)
{
	struct trace_array *tr;

	for_each_trace_array (tr)
		if (tr->persistent)
			tracing_record_off_tr(tr);
}

PANIC_ENTER(stop_at_panic);

/* Creates instances/NAME there, and reports what the last boot has left. 0 or an errno. */
static int __init create_in(const char *name, void *area, size_t size, struct trace_array **tr)
{
	struct trace_persistent *persistent = kzalloc(sizeof(*persistent), GFP_KERNEL);
	const struct ring_buffer_recovery *found;
	const char *why;
	int error;

	if (!persistent)
		return -ENOMEM;
	*persistent =
		(struct trace_persistent){ .alloc = persistent_alloc, .area = area, .size = size };
	error = trace_instance_create(name, persistent, tr);
	if (error) {
		kfree(persistent);
		return error;
	}
	found = &persistent->found;
	why = why_left_out(found);
	if (why)
		pr_info("Tracing: the last boot's trace in %s is left out: %s\n", name, why);
	else if (found->previous == RB_PREVIOUS_KEPT)
		pr_info("Tracing: %s has %llu entries of the last boot; %llu sub-buffers damaged\n",
			name, (unsigned long long)found->events,
			(unsigned long long)found->damaged);
	return 0;
}

static int __init reserve(const char *where)
{
	char *end;
	phys_addr_t start = memparse(where, &end);

	return *end == ':' ? reserve_mem_at(start, memparse(end + 1, NULL)) : 0;
}

static int __init find_area(const char *where, void **area, size_t *size)
{
	phys_addr_t start;
	char *end;

	if (!reserve_mem_find_by_name(where, &start, size)) {
		start = memparse(where, &end);
		if (end == where || *end != ':')
			return -ENOENT;
		*size = ALIGN(memparse(end + 1, NULL), PAGE_SIZE);
		if (!reserve_mem_has(start, *size))
			return -ENOMEM;
	}
	*area = __va(start);
	return 0;
}

static int __init create(const char *name, const char *where, struct trace_array **tr)
{
	void *area;
	size_t size;
	int error = find_area(where, &area, &size);

	return error ? error : create_in(name, area, size, tr);
}

static int __init create_copy(const char *name, const char *where, struct trace_array **tr)
{
	void *area, *copy;
	size_t size;
	int error = find_area(where, &area, &size);

	if (error)
		return error;
	copy = vmalloc(size);
	if (!copy)
		return -ENOMEM;
	error = create_in(name, memcpy(copy, area, size), size, tr);
	if (error)
		vfree(copy);
	return error;
}

TRACE_AREAS = { .reserve = reserve, .create = create, .create_copy = create_copy };
