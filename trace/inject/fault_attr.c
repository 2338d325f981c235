/* The settings of a capability, and the decision whether a call fails: trace/inject/inject.h. */
#include "arch/unwind/stacktrace.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/libfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/preempt.h"
#include "kernel/sched/sched.h"
#include "trace/inject/inject.h"
#include "trace/inject/inject_events.h"

DEFINE_MUTEX(inject_mutex);

/* ---- the decision ---- */

/* The filters by callers. */
static bool stack_passes(const struct fault_attr *attr)
{
	unsigned long entries[FAULT_STACK_DEPTH];
	unsigned long depth = READ_ONCE(attr->depth), from = READ_ONCE(attr->require_start);
	unsigned long to = READ_ONCE(attr->require_end), bad = READ_ONCE(attr->reject_start);
	unsigned long bad_end = READ_ONCE(attr->reject_end);
	bool found = !from && to == ~0UL;
	unsigned n;

	if (!depth || (found && bad >= bad_end))
		return found;
	n = stack_trace_save(entries, (unsigned)depth, 1);
	for (unsigned i = 0; i < n; i++) {
		if (entries[i] >= bad && entries[i] < bad_end)
			return false;
		found = found || (entries[i] >= from && entries[i] < to);
	}
	return found;
}

/* Counts down fail-nth of the current task. True: this is the call that fails. */
static bool nth_fails(const struct fault_attr *attr, unsigned nth)
{
	if (!stack_passes(attr))
		return false;
	WRITE_ONCE(current->inject.fail_nth, nth - 1);
	return nth == 1;
}

/*
 * A number by chance (xorshift64). Good enough for tests, and calls no function, because tracers
 * show the calls of a callback. Two CPUs at once may get the same number.
 */
static u64 dice(void)
{
	static u64 state = 88172645463325252ULL;
	u64 x = READ_ONCE(state);

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	WRITE_ONCE(state, x);
	return x;
}

static bool settings_fail(struct fault_attr *attr, size_t size)
{
	unsigned long probability = READ_ONCE(attr->probability);
	unsigned long interval = READ_ONCE(attr->interval);

	if (!probability || !atomic_read(&attr->times))
		return false;
	if (READ_ONCE(attr->task_filter) && !(in_task() && READ_ONCE(current->inject.make_it_fail)))
		return false;
	if (!stack_passes(attr))
		return false;
	if (atomic_read(&attr->space) > (int)size) {
		atomic_sub((int)size, &attr->space);
		return false;
	}
	if (interval > 1 && (unsigned)atomic_inc_return(&attr->count) % interval)
		return false;
	return probability >= 100 || probability > dice() % 100;
}

static void report(struct fault_attr *attr)
{
	if (!READ_ONCE(attr->verbose) || !__ratelimit(&attr->limit))
		return;
	pr_notice("FAULT_INJECTION: forcing a failure.\n"
		  "name %s, interval %lu, probability %lu, space %d, times %d\n",
		  attr->name, attr->interval, attr->probability, atomic_read(&attr->space),
		  atomic_read(&attr->times));
	if (READ_ONCE(attr->verbose) > 1)
		dump_stack();
}

/* True if a failure is left: takes it. */
static bool take_time(struct fault_attr *attr)
{
	int times;

	do {
		times = atomic_read(&attr->times);
		if (times < 0)
			return true;
		if (!times)
			return false;
	} while (atomic_cmpxchg(&attr->times, times, times - 1) != times);
	return true;
}

bool should_fail(struct fault_attr *attr, size_t size, unsigned long ip, unsigned long parent_ip,
		 unsigned long retval)
{
	unsigned nth = in_task() ? READ_ONCE(current->inject.fail_nth) : 0;

	if (nth ? !nth_fails(attr, nth) : !settings_fail(attr, size) || !take_time(attr))
		return false;
	trace_fault_inject(attr->name, ip, parent_ip, size, retval);
	report(attr);
	return true;
}

/* ---- the files ---- */

enum fault_kind { FAULT_ULONG, FAULT_HEX, FAULT_INT, FAULT_BOOL };
static const struct fault_field {
	const char *name;
	enum fault_kind kind;
	size_t offset;
} fault_fields[] = {
#define FIELD(name, kind, member)                                                                  \
	{                                                                                          \
		name, FAULT_##kind, offsetof(struct fault_attr, member)                            \
	}
	FIELD("probability", ULONG, probability),
	FIELD("interval", ULONG, interval),
	FIELD("times", INT, times),
	FIELD("space", INT, space),
	FIELD("verbose", ULONG, verbose),
	FIELD("task-filter", BOOL, task_filter),
	FIELD("stacktrace-depth", ULONG, depth),
	FIELD("require-start", HEX, require_start),
	FIELD("require-end", HEX, require_end),
	FIELD("reject-start", HEX, reject_start),
	FIELD("reject-end", HEX, reject_end),
#undef FIELD
};

/* i_private of a file is its attr. Its name is that of the field. */
static const struct fault_field *field_of(const struct file *file)
{
	const char *name = file->f_path.dentry->d_name.name;
	unsigned i = 0;

	while (i < ARRAY_SIZE(fault_fields) - 1 && strcmp(fault_fields[i].name, name))
		i++;
	return &fault_fields[i];
}

static int fault_field_show(struct seq_file *m, void *unused __unused)
{
	const struct fault_field *field = field_of(m->file);
	const void *at = (const char *)m->private + field->offset;

	switch (field->kind) {
	case FAULT_ULONG:
		seq_printf(m, "%lu\n", *(const unsigned long *)at);
		break;
	case FAULT_HEX:
		seq_printf(m, "0x%016lx\n", *(const unsigned long *)at);
		break;
	case FAULT_INT:
		seq_printf(m, "%d\n", atomic_read((const atomic_t *)at));
		break;
	case FAULT_BOOL:
		seq_printf(m, "%c\n", *(const bool *)at ? 'Y' : 'N');
		break;
	}
	return 0;
}

/* Stores text in the field. inject_mutex held. */
static int parse_field(const struct fault_field *field, void *at, const char *text)
{
	long number;
	int err;

	if (field->kind == FAULT_BOOL)
		return kstrtobool(text, at);
	if (field->kind == FAULT_INT) {
		err = kstrtol(text, 0, &number);
		if (!err && number != (int)number && number != (u32)number)
			err = -ERANGE;
		if (!err)
			atomic_set(at, (int)number);
		return err;
	}
	err = kstrtoul(text, 0, at);
	if (!err && field->offset == offsetof(struct fault_attr, depth))
		*(unsigned long *)at = min(*(unsigned long *)at, (unsigned long)FAULT_STACK_DEPTH);
	return err;
}

static ssize_t fault_field_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct fault_attr *attr = file->f_inode->i_private;
	const struct fault_field *field = field_of(file);
	char text[24] = { 0 };
	int err;

	(void)pos;
	if (count >= sizeof(text))
		return -EINVAL;
	memcpy(text, buf, count);
	mutex_lock(&inject_mutex);
	err = parse_field(field, (char *)attr + field->offset, strim(text));
	if (!err)
		err = attr->changed(attr);
	mutex_unlock(&inject_mutex);
	return err ? err : (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(fault_field);

struct dentry *fault_create_debugfs_attr(struct fault_attr *attr)
{
	struct dentry *dir = debugfs_create_dir(attr->name, NULL), *file = dir;

	for (unsigned i = 0; i < ARRAY_SIZE(fault_fields) && !IS_ERR(file); i++)
		file = debugfs_create_file(fault_fields[i].name, 0600, dir, attr,
					   &fault_field_fops);
	return IS_ERR(file) ? file : dir;
}

bool setup_fault_attr(struct fault_attr *attr, const char *text)
{
	unsigned long *const values[] = { &attr->interval, &attr->probability };
	char *end;

	for (unsigned i = 0; text && i < ARRAY_SIZE(values); i++) {
		*values[i] = simple_strtoul(text, &end, 0);
		text = end != text && *end == ',' ? end + 1 : NULL;
	}
	if (!text)
		return false;
	atomic_set(&attr->space, (int)simple_strtoul(text, &end, 0));
	if (end == text || *end != ',' || kstrtoint(end + 1, 0, &attr->times.counter))
		return false;
	return true;
}
