/*
 * perf_event_open(2). The checks are in Linux's order where programs can tell: perf tries again
 * without what it is told to be wrong.
 *
 * The event is made without a lock, because its source may have to be registered. It is put into
 * its context, its group and its buffer in one step, under the exec_update_lock of its task, so
 * that an exec cannot change who may look into the task, and under M.
 */
#include "trace/perf/internal.h"

#include "arch/mm/uaccess.h"
#include "arch/time/clock.h"
#include "fs/file/file.h"
#include "fs/vfs/dcache.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/posix_time/clock.h"
#include "kernel/process/ptrace.h"
#include "kernel/smp.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/time/timekeeping.h"
#include "trace/perf/attr.h"

#define PERF_FLAG_ALL                                                                              \
	(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC)

/* What a call asks for. */
struct opening {
	struct perf_event_attr *attr; /* perf_event_alloc() takes it over */
	struct task_struct *task;     /* counted; NULL: an event of a CPU */
	int cpu;
	unsigned long flags;
	struct file *group_file;            /* counted; NULL: none */
	struct perf_event *leader, *output; /* of group_file; NULL: none */
};

/* ---- struct perf_event_attr ---- */

/* Bytes that a newer program knows must be 0. Else it learns the size that is known. */
static int copy_attr(struct perf_event_attr *attr, struct perf_event_attr __user *from, u32 size)
{
	const u8 __user *rest = (const u8 __user *)from + sizeof(*attr);
	u8 byte = 0;

	if (copy_from_user(attr, from, min((size_t)size, sizeof(*attr))))
		return -EFAULT;
	for (size_t i = sizeof(*attr); i < size && !byte; i++)
		if (get_user(byte, rest++))
			return -EFAULT;
	attr->size = size;
	return byte ? -E2BIG : 0;
}

static int get_attr(struct perf_event_attr *attr, struct perf_event_attr __user *from)
{
	u32 size;
	int error;

	if (get_user(size, &from->size))
		return -EFAULT;
	size = size ? size : PERF_ATTR_SIZE_VER0;
	error = size < PERF_ATTR_SIZE_VER0 || size > PAGE_SIZE ? -E2BIG
							       : copy_attr(attr, from, size);
	if (error == -E2BIG && put_user((u32)sizeof(*attr), &from->size))
		return -EFAULT;
	if (error)
		return error;
	if (!attr->sample_max_stack)
		attr->sample_max_stack = (u16)READ_ONCE(sysctl_perf_event_max_stack);
	error = perf_check_attr(attr);
	if (!error && (attr->sample_type & PERF_SAMPLE_BRANCH_STACK) &&
	    (attr->branch_sample_type & (PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)))
		error = perf_allow_kernel();
	return error;
}

struct perf_event_attr *perf_copy_attr(struct perf_event_attr __user *from)
{
	struct perf_event_attr *attr = kzalloc(sizeof(*attr), GFP_KERNEL);
	int error;

	if (!attr)
		return ERR_PTR(-ENOMEM);
	error = get_attr(attr, from);
	if (!error)
		return attr;
	kfree(attr);
	return ERR_PTR(error);
}

/* ---- checks ---- */

static int check_rights(const struct opening *open, pid_t pid)
{
	const struct perf_event_attr *attr = open->attr;
	int error = perf_allow_user();

	if (!error && (!attr->exclude_kernel || attr->text_poke))
		error = perf_allow_kernel();
	if (!error && attr->namespaces && !perfmon_capable())
		error = -EACCES;
	if (!error)
		error = perf_check_period(attr, (u64)READ_ONCE(sysctl_perf_event_sample_rate));
	if (!error && (attr->sample_type & PERF_SAMPLE_PHYS_ADDR))
		error = perf_allow_kernel();
	if (!error && (open->flags & PERF_FLAG_PID_CGROUP) && (pid == -1 || open->cpu == -1))
		error = -EINVAL;
	return error;
}

static int find_group(struct opening *open, int group_fd)
{
	struct perf_event *event;

	if (group_fd == -1)
		return 0;
	open->group_file = fget((unsigned)group_fd);
	event = open->group_file ? perf_file_event(open->group_file) : NULL;
	if (!event)
		return -EBADF;
	if (open->flags & PERF_FLAG_FD_OUTPUT)
		open->output = event;
	if (!(open->flags & PERF_FLAG_FD_NO_GROUP))
		open->leader = event;
	return 0;
}

static int find_task(struct opening *open, pid_t pid)
{
	if (open->flags & PERF_FLAG_PID_CGROUP)
		return -EBADF; /* pid is a descriptor, and no file is a cgroup */
	if (pid == -1)
		return 0;
	open->task = pid ? find_get_task_by_pid(pid) : get_task_struct(current);
	if (!open->task)
		return -ESRCH;
	return open->leader && open->leader->attr->inherit != open->attr->inherit ? -EINVAL : 0;
}

/* What no PMU of nop5 can do. */
static int check_event(const struct opening *open)
{
	const struct perf_event_attr *attr = open->attr;
	u64 regs = (attr->sample_type & PERF_SAMPLE_REGS_USER ? attr->sample_regs_user : 0) |
		   (attr->sample_type & PERF_SAMPLE_REGS_INTR ? attr->sample_regs_intr : 0);

	if (regs >> PERF_REG_X86_XMM0)
		return -EOPNOTSUPP;
	if (attr->aux_output)
		return -EOPNOTSUPP;
	if ((attr->sample_type & PERF_SAMPLE_CALLCHAIN) &&
	    attr->sample_max_stack > READ_ONCE(sysctl_perf_event_max_stack))
		return -EOVERFLOW;
	return 0;
}

/* ---- the clock of TIME. Any context ---- */

static u64 monotonic_clock(void)
{
	return (u64)arch_ktime();
}

static u64 realtime_clock(void)
{
	return (u64)(arch_ktime() + READ_ONCE(real_offset));
}

/* NULL: not a clock of perf. */
static u64 (*find_clock(const struct perf_event_attr *attr))(void)
{
	if (!attr->use_clockid)
		return monotonic_clock;
	switch (attr->clockid) {
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_BOOTTIME:
		return monotonic_clock;
	case CLOCK_REALTIME:
	case CLOCK_TAI:
		return realtime_clock;
	default:
		return NULL;
	}
}

/* ---- making and installing ---- */

static struct perf_event *make_event(struct opening *open)
{
	struct perf_event_attr *attr = open->attr;
	const struct pmu *pmu;
	struct perf_event *event;
	int error;

	if ((unsigned)open->cpu >= nr_cpu_ids && (!open->task || open->cpu != -1))
		return ERR_PTR(-EINVAL);
	if ((attr->sigtrap && !open->task) ||
	    (attr->inherit && (attr->sample_type & PERF_SAMPLE_READ)))
		return ERR_PTR(-EINVAL);
	pmu = perf_find_pmu(attr->type);
	if (!pmu)
		return ERR_PTR(-ENOENT);
	error = check_event(open);
	if (error)
		return ERR_PTR(error);
	open->attr = NULL;
	event = perf_event_alloc(attr, pmu, open->cpu, open->task);
	if (IS_ERR(event))
		return event;
	event->clock = find_clock(attr);
	if (event->clock && !attr->aux_sample_size)
		return event;
	perf_event_release(event);
	return ERR_PTR(-EINVAL);
}

/* Linux's bound: all that read(2) and a sample tell of a group is less than 16 KiB. M held. */
static bool group_fits(const struct perf_event *leader, const struct perf_event *event)
{
	u64 format = event->attr->read_format;
	size_t entry = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);

	return !(format & PERF_FORMAT_GROUP) ||
	       8 * entry * (leader->nr_siblings + 2) + event->fixed_size + event->id_size < 16384;
}

/* M held. */
static int check_group(const struct opening *open, const struct perf_event *event)
{
	const struct perf_event *leader = open->leader;
	const struct perf_context *ctx =
		open->task ? open->task->perf : per_cpu_ptr(&perf_cpu_contexts, open->cpu);

	if (leader && (leader->leader != leader || !perf_same_clock(leader, event) ||
		       leader->cpu != event->cpu || !leader->ctx || leader->ctx != ctx ||
		       event->attr->exclusive || event->attr->pinned))
		return -EINVAL;
	return leader && !group_fits(leader, event) ? -E2BIG : 0;
}

static bool may_open(const struct opening *open, const struct perf_event *event)
{
	if (perfmon_capable())
		return true;
	if (event->attr->sigtrap) /* it sends a signal */
		return ptrace_may_access(open->task, PTRACE_MODE_ATTACH_REALCREDS) &&
		       (open->task->signal == current->signal || capable(CAP_KILL));
	return ptrace_may_access(open->task, PTRACE_MODE_READ_REALCREDS);
}

static int check_rights_and_group(const struct opening *open, const struct perf_event *event)
{
	int error = open->task ? 0 : perf_allow_cpu();

	if (!error && open->cpu != -1 && !cpu_online((unsigned)open->cpu))
		error = -ENODEV;
	if (!error)
		error = check_group(open, event);
	return !error && open->task && !may_open(open, event) ? -EACCES : error;
}

/*
 * What a task without CAP_PERFMON may open for one task and CPU: a switch starts and stops them,
 * and a hit looks through them, while other tasks wait.
 */
#define TASK_EVENTS_MAX 128

/* M held. */
static bool has_room(const struct perf_context *ctx, int cpu)
{
	const struct perf_event *event;
	unsigned n = 0;

	list_for_each_entry (event, &ctx->events, ctx_node)
		n += cpu == -1 || event->cpu == -1 || event->cpu == cpu;
	return n < TASK_EVENTS_MAX;
}

/*
 * With exec_update_lock of the task. M held. An error leaves the event where it is: its release
 * takes it out.
 */
static int install(const struct opening *open, struct perf_event *event)
{
	struct perf_event *leader = open->leader;
	struct perf_context *ctx;
	int error = check_rights_and_group(open, event);

	if (error)
		return error;
	ctx = open->task ? perf_get_context(open->task)
			 : per_cpu_ptr(&perf_cpu_contexts, open->cpu);
	if (IS_ERR(ctx))
		return (int)PTR_ERR(ctx);
	if (open->task && !perfmon_capable() && !has_room(ctx, event->cpu))
		return -ENOSPC;
	error = perf_context_add(ctx, event);
	if (error)
		return error;
	if (leader)
		perf_group_join(event, leader);
	if (open->output)
		error = perf_set_output(event, open->output);
	if (!error && !event->attr->disabled)
		perf_event_set(event, true);
	return error;
}

static int install_locked(const struct opening *open, struct perf_event *event)
{
	int error;

	if (open->task)
		down_read(&open->task->signal->exec_update_lock);
	mutex_lock(&perf_mutex);
	error = install(open, event);
	mutex_unlock(&perf_mutex);
	if (open->task)
		up_read(&open->task->signal->exec_update_lock);
	return error;
}

/* ---- the call ---- */

static struct inode *perf_inode; /* constant after the boot: of all files of events */

static struct file *make_file(struct perf_event *event)
{
	struct file *file = alloc_file_pseudo(ihold(perf_inode), NULL, "anon_inode:[perf_event]",
					      O_RDWR, &perf_fops);

	if (IS_ERR(file))
		iput(perf_inode);
	else
		file->private_data = event;
	return file;
}

/* An open file of a new event, or an ERR_PTR. */
static struct file *open_event(struct opening *open)
{
	struct perf_event *event = make_event(open);
	struct file *file;
	int error;

	if (IS_ERR(event))
		return ERR_PTR(PTR_ERR(event));
	file = make_file(event);
	if (IS_ERR(file)) {
		perf_event_release(event);
		return file;
	}
	error = install_locked(open, event);
	if (!error)
		return file;
	fput(file);
	return ERR_PTR(error);
}

static long perf_open(struct opening *open, pid_t pid, int group_fd)
{
	int error = check_rights(open, pid), fd;
	struct file *file;

	if (error)
		return error;
	fd = get_unused_fd_flags(open->flags & PERF_FLAG_FD_CLOEXEC ? O_CLOEXEC : 0);
	if (fd < 0)
		return fd;
	error = find_group(open, group_fd);
	if (!error)
		error = find_task(open, pid);
	file = error ? ERR_PTR(error) : open_event(open);
	if (IS_ERR(file)) {
		put_unused_fd((unsigned)fd);
		return PTR_ERR(file);
	}
	fd_install((unsigned)fd, file);
	return fd;
}

/* Restricted: no events of hardware. */
SYSCALL_DEFINE5(perf_event_open, struct perf_event_attr __user *, attr_uptr, pid_t, pid, int, cpu,
		int, group_fd, unsigned long, flags)
{
	struct opening open = { .cpu = cpu, .flags = flags };
	long ret;

	if (flags & ~PERF_FLAG_ALL)
		return -EINVAL;
	open.attr = perf_copy_attr(attr_uptr);
	if (IS_ERR(open.attr))
		return PTR_ERR(open.attr);
	ret = perf_open(&open, pid, group_fd);
	kfree(open.attr);
	if (open.task)
		put_task_struct(open.task);
	if (open.group_file)
		fput(open.group_file);
	return ret;
}

static int __init perf_open_init(void)
{
	perf_inode = alloc_anon_inode(0600);
	return perf_inode ? 0 : -ENOMEM;
}
device_initcall(perf_open_init);
