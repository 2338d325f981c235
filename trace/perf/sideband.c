/*
 * Records of what tasks do, beside the samples: without them an address is only a number. FORK,
 * EXIT, COMM, MMAP, MMAP2, NAMESPACES, SWITCH, SWITCH_CPU_WIDE.
 *
 * An event that asks for a kind of record gets it from the CPU that makes it: an event of this CPU,
 * and one of the task that is concerned. That task is current, or at a switch the one that gets the
 * CPU. So each buffer keeps its one writer. The records are made in tracepoints and hooks, which
 * are on while an event asks for them.
 */
#include "trace/perf/internal.h"

#include "fs/proc/task/task.h"
#include "fs/vfs/fs.h"
#include "fs/vfs/page_cache.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sched/task_events.h"
#include "kernel/task/signal_struct.h"
#include "kernel/vm/mm_types.h"
#include "kernel/vm/mm.h"
#include "kernel/vm/vma_events.h"
#include "trace/events/record.h"
#include "trace/perf/build_id.h"
#include "trace/perf/output.h"
#include "trace/perf/records.h"

unsigned perf_record_users[NR_PERF_RECORDS];
static DEFINE_MUTEX(records_mutex); /* to write perf_record_users */

/* ---- a record ---- */

void perf_put_record(struct perf_event *event, const struct perf_event_header *head,
		     const char *name, const struct task_struct *task)
{
	u32 name_size = name ? ALIGN((u32)strlen(name) + 1, 8U) : 0;
	u32 size = head->size + name_size + event->id_size;
	struct perf_handle handle;
	u8 *to;

	if (!perf_output_begin(&handle, event, size))
		return;
	to = handle.record;
	memcpy(to, head, head->size);
	((struct perf_event_header *)handle.record)->size = (u16)size;
	to += head->size;
	if (name) {
		memset(to + name_size - 8, 0, 8);
		memcpy(to, name, strlen(name));
		to += name_size;
	}
	perf_write_ids(event, task, to);
	perf_output_end(&handle, 0);
}

/* ---- who asks ---- */

u16 perf_record_kinds(const struct perf_event *event)
{
	const struct perf_event_attr *attr = event->attr;
	bool areas = attr->mmap || attr->mmap2, kernel = event->may_see_kernel;

	return (u16)((attr->task || attr->comm || areas || attr->mmap_data) << PERF_RECORDS_TASK |
		     attr->comm << PERF_RECORDS_COMM | areas << PERF_RECORDS_MMAP |
		     attr->mmap_data << PERF_RECORDS_MMAP_DATA |
		     attr->namespaces << PERF_RECORDS_NAMESPACES |
		     (attr->ksymbol && kernel) << PERF_RECORDS_KSYMBOL |
		     (attr->text_poke && kernel) << PERF_RECORDS_TEXT_POKE |
		     attr->context_switch << PERF_RECORDS_SWITCH);
}

static void for_each_in(const struct perf_context *ctx, enum perf_record_kind kind,
			void (*fn)(struct perf_event *event, void *data), void *data)
{
	int cpu = (int)smp_processor_id();
	struct perf_event *event;

	list_for_each_entry_rcu (event, &ctx->records, record_node)
		if ((event->records & BIT(kind)) && READ_ONCE(event->state) == PERF_ON &&
		    (event->cpu == -1 || event->cpu == cpu))
			fn(event, data);
}

/*
 * Calls fn for the events of this CPU and of task that are on and ask for the kind. task: current,
 * or the one that gets this CPU.
 */
static void for_each_user(enum perf_record_kind kind, const struct task_struct *task,
			  void (*fn)(struct perf_event *event, void *data), void *data)
{
	const struct perf_context *ctx;

	preempt_disable();
	for_each_in(this_cpu_ptr(&perf_cpu_contexts), kind, fn, data);
	ctx = rcu_dereference(task->perf);
	if (ctx)
		for_each_in(ctx, kind, fn, data);
	preempt_enable();
}

struct record_arg {
	const struct perf_event_header *head;
	const char *name;
};

static void put_arg(struct perf_event *event, void *data)
{
	const struct record_arg *arg = data;

	perf_put_record(event, arg->head, arg->name, current_stable);
}

void perf_record_all(enum perf_record_kind kind, const struct perf_event_header *head,
		     const char *name)
{
	struct record_arg arg = { head, name };

	for_each_user(kind, current_stable, put_arg, &arg);
}

/* ---- FORK, EXIT, NAMESPACES ---- */

struct task_record {
	struct perf_event_header header;
	u32 pid, ppid, tid, ptid;
	u64 time;
};

static void put_task(struct perf_event *event, void *data)
{
	struct task_record *record = data;

	record->time = event->clock();
	perf_put_record(event, &record->header, NULL, current_stable);
}

static void record_task(u16 type, const struct task_struct *task, pid_t ppid, pid_t ptid)
{
	struct task_record record = {
		.header = { .type = type, .size = sizeof(record) },
		.pid = (u32)task->tgid,
		.tid = (u32)task->pid,
		.ppid = (u32)ppid,
		.ptid = (u32)ptid,
	};

	for_each_user(PERF_RECORDS_TASK, current, put_task, &record);
}

void perf_record_exit(void)
{
	pid_t parent = READ_ONCE(current->signal->ppid);

	if (perf_records(PERF_RECORDS_TASK))
		record_task(PERF_RECORD_EXIT, current, parent, parent);
}

/*
 * nop5 has one namespace of each kind. The numbers are those that Linux gives to its first ones:
 * net, uts, ipc, pid, user, mnt, cgroup, in the order of the record.
 */
#define NSFS_DEV 4
static const u32 namespaces[] = { 0xf0000000, 0xeffffffe, 0xefffffff, 0xeffffffc,
				  0xeffffffd, 0xf0000001, 0xeffffffb };

static void record_namespaces(const struct task_struct *task)
{
	struct {
		struct perf_event_header header;
		u32 pid, tid;
		u64 count;
		struct {
			u64 dev, ino;
		} link[ARRAY_SIZE(namespaces)];
	} record = {
		.header = { .type = PERF_RECORD_NAMESPACES, .size = sizeof(record) },
		.pid = (u32)task->tgid,
		.tid = (u32)task->pid,
		.count = ARRAY_SIZE(namespaces),
	};

	for (unsigned i = 0; i < ARRAY_SIZE(namespaces); i++) {
		record.link[i].dev = NSFS_DEV;
		record.link[i].ino = namespaces[i];
	}
	perf_record_all(PERF_RECORDS_NAMESPACES, &record.header, NULL);
}

void perf_record_fork(const struct task_struct *child)
{
	if (perf_records(PERF_RECORDS_TASK))
		record_task(PERF_RECORD_FORK, child, current->tgid, current->pid);
	if (perf_records(PERF_RECORDS_NAMESPACES))
		record_namespaces(child);
}

/* ---- COMM ---- */

/* P of the task is held. Another task's name may change, too: /proc/PID/comm. */
static void record_comm(void *data __unused, struct task_struct *task, const char *name)
{
	char comm[TASK_COMM_LEN];
	struct {
		struct perf_event_header header;
		u32 pid, tid;
	} record = {
		.header = { .type = PERF_RECORD_COMM,
			    .misc = task == current_stable && task->in_execve
					    ? PERF_RECORD_MISC_COMM_EXEC
					    : 0,
			    .size = sizeof(record) },
		.pid = (u32)task->tgid,
		.tid = (u32)task->pid,
	};

	(void)strscpy(comm, name, sizeof(comm));
	perf_record_all(PERF_RECORDS_COMM, &record.header, comm);
}

/* ---- MMAP, MMAP2 ---- */

struct mmap_record {
	struct perf_event_header header;
	u32 pid, tid;
	u64 addr, len, pgoff;
	/* Only MMAP2 has what follows. */
	union {
		struct {
			u32 major, minor;
			u64 ino, generation;
		};
		struct {
			u8 build_id_size, reserved[3];
			u8 build_id[PERF_BUILD_ID_MAX];
		};
	};
	u32 prot, flags;
};

struct area {
	struct vm_area_struct *vma;
	const char *name; /* NULL: nobody has asked yet */
	char *path;       /* scratch memory, or NULL */
	u8 build_id[PERF_BUILD_ID_MAX];
	u32 build_id_size; /* 0: none, or nobody has asked */
	bool build_id_read;
};

static u32 prot_of(unsigned long flags)
{
	return (flags & VM_READ ? PROT_READ : 0) | (flags & VM_WRITE ? PROT_WRITE : 0) |
	       (flags & VM_EXEC ? PROT_EXEC : 0);
}

static u32 map_flags_of(unsigned long flags)
{
	return (flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE) |
	       (flags & VM_GROWSDOWN ? MAP_GROWSDOWN : 0) | (flags & VM_LOCKED ? MAP_LOCKED : 0);
}

static void put_inode(struct mmap_record *record, const struct vm_area_struct *vma)
{
	const struct inode *inode = vma->vm_file ? vma->vm_file->f_inode : NULL;

	record->major = inode ? MAJOR(inode->i_sb->s_dev) : 0;
	record->minor = inode ? MINOR(inode->i_sb->s_dev) : 0;
	record->ino = inode ? inode->i_ino : 0;
	record->generation = 0;
}

/* Does not sleep: a page that is not in memory tells nothing. */
static u32 read_build_id(const struct file *file, u8 *id)
{
	struct address_space *mapping = file ? file->f_inode->i_mapping : NULL;
	struct page *page = mapping ? find_get_page(mapping, 0) : NULL;
	u32 size;

	if (!page)
		return 0;
	size = perf_find_build_id(page_address(page), id);
	put_page(page);
	return size;
}

/* The build id is read once, when the first event asks for it. */
static bool put_build_id(struct mmap_record *record, struct area *area)
{
	if (!area->build_id_read) {
		area->build_id_read = true;
		area->build_id_size = read_build_id(area->vma->vm_file, area->build_id);
	}
	if (!area->build_id_size)
		return false;
	record->build_id_size = (u8)area->build_id_size;
	memset(record->reserved, 0, sizeof(record->reserved));
	memcpy(record->build_id, area->build_id, sizeof(record->build_id));
	return true;
}

/* The tree decides how long this takes: only for an event that gets the record. */
static const char *find_name(struct area *area)
{
	const char *name;

	if (!area->vma->vm_file) {
		name = proc_area_name(area->vma);
		return name ? name : "//anon";
	}
	area->path = trace_event_scratch_get(PATH_MAX);
	if (!area->path)
		return "//enomem";
	name = d_path(&area->vma->vm_file->f_path, area->path, PATH_MAX);
	return IS_ERR(name) ? "//toolong" : name;
}

static void put_area(struct perf_event *event, void *data)
{
	struct area *area = data;
	const struct vm_area_struct *vma = area->vma;
	bool mmap2 = event->attr->mmap2;
	struct mmap_record record = {
		.header = { .type = mmap2 ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP,
			    .misc = PERF_RECORD_MISC_USER |
				    (vma->vm_flags & VM_EXEC ? 0 : PERF_RECORD_MISC_MMAP_DATA),
			    .size = mmap2 ? sizeof(record) : offsetof(struct mmap_record, major) },
		.pid = (u32)current_stable->tgid,
		.tid = (u32)current_stable->pid,
		.addr = vma->vm_start,
		.len = vma->vm_end - vma->vm_start,
		.pgoff = (u64)vma->vm_pgoff << PAGE_SHIFT,
		.prot = prot_of(vma->vm_flags),
		.flags = map_flags_of(vma->vm_flags),
	};

	if (mmap2 && event->attr->build_id && put_build_id(&record, area))
		record.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	else
		put_inode(&record, vma);
	if (!area->name)
		area->name = find_name(area);
	perf_put_record(event, &record.header, area->name, current_stable);
}

/* mmap_lock held. Another program's stack may grow, too, when its memory is written. */
static void record_area(void *data __unused, struct vm_area_struct *vma)
{
	enum perf_record_kind kind =
		vma->vm_flags & VM_EXEC ? PERF_RECORDS_MMAP : PERF_RECORDS_MMAP_DATA;
	struct area area = { .vma = vma };

	if (!perf_records(kind) || vma->vm_mm != current_stable->mm)
		return;
	for_each_user(kind, current_stable, put_area, &area);
	if (area.path)
		trace_event_scratch_put(area.path);
}

/* ---- SWITCH, SWITCH_CPU_WIDE ---- */

struct switch_arg {
	u16 misc;
	const struct task_struct *task, *other; /* whose record; where it comes from or goes to */
};

static void put_switch(struct perf_event *event, void *data)
{
	const struct switch_arg *arg = data;
	struct {
		struct perf_event_header header;
		u32 pid, tid; /* only of a CPU's event */
	} record = {
		.header = { .type = event->of_task ? PERF_RECORD_SWITCH
						   : PERF_RECORD_SWITCH_CPU_WIDE,
			    .misc = arg->misc,
			    .size = event->of_task ? sizeof(record.header) : sizeof(record) },
		.pid = (u32)arg->other->tgid,
		.tid = (u32)arg->other->pid,
	};

	perf_put_record(event, &record.header, NULL, arg->task);
}

void perf_record_switch(const struct task_struct *prev, const struct task_struct *next)
{
	struct switch_arg out = {
		.misc = PERF_RECORD_MISC_SWITCH_OUT |
			(prev->on_rq ? PERF_RECORD_MISC_SWITCH_OUT_PREEMPT : 0),
		.task = prev,
		.other = next,
	};
	struct switch_arg in = { .task = next, .other = prev };

	for_each_user(PERF_RECORDS_SWITCH, prev, put_switch, &out);
	for_each_user(PERF_RECORDS_SWITCH, next, put_switch, &in);
}

/* ---- registrations ---- */

static int set_comm_probe(bool on)
{
	return on ? register_trace_task_rename(record_comm, NULL)
		  : unregister_trace_task_rename(record_comm, NULL);
}

static int set_area_probe(bool on)
{
	return on ? register_trace_vma_map(record_area, NULL)
		  : unregister_trace_vma_map(record_area, NULL);
}

static struct perf_tap comm_tap = { .set = set_comm_probe };
static struct perf_tap area_tap = { .set = set_area_probe };
static struct perf_tap *const taps[NR_PERF_RECORDS] = {
	[PERF_RECORDS_COMM] = &comm_tap,
	[PERF_RECORDS_MMAP] = &area_tap,
	[PERF_RECORDS_MMAP_DATA] = &area_tap,
	[PERF_RECORDS_KSYMBOL] = &perf_ksymbol_tap,
	[PERF_RECORDS_TEXT_POKE] = &perf_text_poke_tap,
	[PERF_RECORDS_SWITCH] = &perf_switch_tap,
};

static int add_kind(enum perf_record_kind kind)
{
	int error = taps[kind] ? perf_tap_get(taps[kind]) : 0;

	if (!error)
		WRITE_ONCE(perf_record_users[kind], perf_record_users[kind] + 1);
	return error;
}

static void remove_kind(enum perf_record_kind kind)
{
	WRITE_ONCE(perf_record_users[kind], perf_record_users[kind] - 1);
	if (taps[kind])
		perf_tap_put(taps[kind]);
}

int perf_records_begin(const struct perf_event *event)
{
	unsigned kind;
	int error = 0;

	if (!event->records)
		return 0;
	mutex_lock(&records_mutex);
	for (kind = 0; kind < NR_PERF_RECORDS && !error; kind++)
		if (event->records & BIT(kind))
			error = add_kind(kind);
	if (error) /* of the kind before this one: those before it are given up again */
		for (kind--; kind-- > 0;)
			if (event->records & BIT(kind))
				remove_kind(kind);
	mutex_unlock(&records_mutex);
	return error;
}

void perf_records_end(const struct perf_event *event)
{
	mutex_lock(&records_mutex);
	for (unsigned kind = 0; kind < NR_PERF_RECORDS; kind++)
		if (event->records & BIT(kind))
			remove_kind(kind);
	mutex_unlock(&records_mutex);
}
