/* The calls of the last boot: see ftrace.h. */
#include "arch/cpu/percpu.h"
#include "fs/pstore/internal.h"
#include "fs/vfs/seq_file.h"
#include "kernel/cpumask.h"
#include "kernel/errno.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/smp.h"

/* Constant after pstore_ftrace_init(). */
static struct pstore_ftrace_record *rings; /* [nr_cpu_ids * ring_size] in ramoops' memory */
static unsigned ring_size;

/* Of the last boot, until the file takes them. Boot only. */
static struct pstore_ftrace_record *old_calls; /* [nr_old] */
static unsigned nr_old, nr_damaged;

static int compare_time(const void *a, const void *b)
{
	const struct pstore_ftrace_record *one = a, *two = b;

	if (one->ts != two->ts)
		return one->ts < two->ts ? -1 : 1;
	return 0;
}

/* Copies the records that have their sum. */
static int read_old(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		nr_old += rings[i].sum && rings[i].sum == pstore_ftrace_sum(&rings[i]);
	if (nr_old) {
		old_calls = vmalloc(nr_old * sizeof(*old_calls));
		if (!old_calls)
			return -ENOMEM;
	}
	nr_old = 0;
	for (unsigned i = 0; i < count; i++) {
		if (!rings[i].sum)
			continue;
		if (rings[i].sum == pstore_ftrace_sum(&rings[i]))
			old_calls[nr_old++] = rings[i];
		else
			nr_damaged++;
	}
	sort(old_calls, nr_old, sizeof(*old_calls), compare_time);
	return 0;
}

int pstore_ftrace_init(void *area, size_t size)
{
	int error;

	ring_size = (unsigned)(size / nr_cpu_ids / sizeof(*rings));
	if (!ring_size)
		return -EINVAL;
	rings = area;
	error = read_old(nr_cpu_ids * ring_size);
	memset(area, 0, size);
	return error;
}

struct pstore_ftrace_record *pstore_ftrace_ring(unsigned cpu, unsigned *count)
{
	*count = ring_size;
	return rings ? rings + cpu * ring_size : NULL;
}

bool pstore_ftrace_take(struct pstore_record *record)
{
	if (!nr_old && !nr_damaged)
		return false;
	record->calls = old_calls;
	record->nr_calls = nr_old;
	record->nr_damaged = nr_damaged;
	record->size = nr_old * sizeof(*old_calls);
	return true;
}

int pstore_ftrace_show(struct seq_file *m, const struct pstore_record *record, unsigned index)
{
	const struct pstore_ftrace_record *call = &record->calls[index];

	if (index == record->nr_calls)
		seq_printf(m, "# %u damaged records are left out\n", record->nr_damaged);
	else
		seq_printf(m, "CPU:%u ts:%llu %08lx  %08lx  %ps <- %pS\n", call->cpu,
			   (unsigned long long)call->ts, call->ip, call->parent_ip,
			   (void *)call->ip, (void *)call->parent_ip);
	return 0;
}
