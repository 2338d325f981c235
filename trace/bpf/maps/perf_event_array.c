/*
 * PERF_EVENT_ARRAY: perf events by a number, usually one for each CPU. Programs write records into
 * their buffers (bpf_perf_event_output()), and read counts.
 *
 * User space puts in descriptors. An entry keeps the file of its event, so the event and its buffer
 * live as long as the entry is in the array, and until a grace period after that. When the
 * descriptor of the map by which an entry was put in is closed, the entry goes: else an array that
 * programs use would keep the events of a tool that has ended.
 */
#include "arch/cpu/ptrace.h"
#include "fs/file/file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/attach/run.h"
#include "trace/bpf/helpers/helpers.h"
#include "trace/bpf/maps/fd_array.h"
#include "trace/perf/internal.h"
#include "trace/perf/program.h"

struct entry {
	struct perf_event *event;    /* [C] */
	struct file *file;           /* [C] of the event; counted */
	const struct file *map_file; /* [C] by which it was put in; only compared */
	union {
		struct rcu_head rcu;
		struct work_struct work;
	};
};

/* ---- entries ---- */

/* A worker, because closing an event may wait for a grace period. */
static void close_event(struct work_struct *work)
{
	struct entry *entry = container_of(work, struct entry, work);

	fput(entry->file);
	kfree(entry);
}

/* RCU callback: no program uses the event any more. */
static void free_entry(struct rcu_head *rcu)
{
	struct entry *entry = container_of(rcu, struct entry, rcu);

	INIT_WORK(&entry->work, close_event);
	schedule_work(&entry->work);
}

static void *get_entry(struct bpf_map *map __unused, struct file *map_file, int fd)
{
	struct file *file = fget((unsigned)fd);
	struct perf_event *event = file ? perf_file_event(file) : NULL;
	struct entry *entry;
	int error = -EBADF;

	if (!event)
		goto put;
	error = -EOPNOTSUPP;
	if (event->attr->inherit)
		goto put;
	error = -ENOMEM;
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		goto put;
	entry->event = event;
	entry->file = file;
	entry->map_file = map_file;
	return entry;
put:
	if (file)
		fput(file);
	return ERR_PTR(error);
}

static void put_entry(struct bpf_map *map __unused, void *object)
{
	call_rcu(&((struct entry *)object)->rcu, free_entry);
}

/* ---- bpf(2) ---- */

static struct bpf_map *alloc(const union bpf_attr *attr)
{
	static const struct bpf_fd_array_ops ops = { .get = get_entry, .put = put_entry };

	return bpf_fd_array_alloc(attr, &ops);
}

static void release_file(struct bpf_map *map, const struct file *file)
{
	if (map->map_flags & BPF_F_PRESERVE_ELEMS)
		return;
	rcu_read_lock();
	for (u32 i = 0; i < map->max_entries; i++) {
		const struct entry *entry = bpf_fd_array_get(map, i);

		if (entry && entry->map_file == file)
			(void)bpf_fd_array_delete(map, &i);
	}
	rcu_read_unlock();
}

static const struct bpf_map_ops perf_event_array BPF_MAP_TYPE(perf_event_array) = {
	.type = BPF_MAP_TYPE_PERF_EVENT_ARRAY,
	.name = "perf_event_array",
	.alloc_check = bpf_fd_array_check,
	.alloc = alloc,
	.free = bpf_fd_array_free,
	.delete = bpf_fd_array_delete,
	.get_next_key = bpf_array_get_next_key,
	.read_user = bpf_fd_array_read_user,
	.write_user = bpf_fd_array_write_user,
	.release_file = release_file,
};

/* ---- helpers ---- */

/* The event that the flags of a helper name: 0 or an errno. */
static __always_inline s64 find_event(const struct bpf_map *map, u64 flags,
				      struct perf_event **event)
{
	u64 index = flags & BPF_F_INDEX_MASK;
	const struct entry *entry;

	if (unlikely(flags & ~(u64)BPF_F_INDEX_MASK)) /* the constant has 32 bits */
		return -EINVAL;
	if (likely(index == BPF_F_CURRENT_CPU))
		index = smp_processor_id();
	if (unlikely(index >= map->max_entries))
		return -E2BIG;
	entry = bpf_fd_array_get(map, index);
	if (unlikely(!entry))
		return -ENOENT;
	*event = entry->event;
	return 0;
}

static __always_inline u64 output(const struct bpf_map *map, u64 flags, const void *raw, u64 size,
				  const struct pt_regs *regs, u64 ip)
{
	struct perf_event *event;
	s64 error = find_event(map, flags, &event);

	if (unlikely(error))
		return (u64)error;
	if (unlikely(size > ~0U))
		return (u64)-E2BIG;
	return (u64)(s64)perf_output_raw(event, raw, (u32)size, regs, ip);
}

BPF_CALL_5(bpf_perf_event_output_regs, const struct pt_regs *, regs, const struct bpf_map *, map,
	   u64, flags, const void *, raw, u64, size)
{
	return output(map, flags, raw, size, regs, 0);
}

BPF_CALL_5(bpf_perf_event_output_record, void *, record, const struct bpf_map *, map, u64, flags,
	   const void *, raw, u64, size)
{
	return output(map, flags, raw, size, bpf_record_regs(record), 0);
}

BPF_CALL_5(bpf_perf_event_output_args, const void *, args __unused, const struct bpf_map *, map,
	   u64, flags, const void *, raw, u64, size)
{
	return output(map, flags, raw, size, NULL, (u64)__builtin_return_address(0));
}

/* Its result is a count or an errno; they cannot be told apart. Linux's interface. */
BPF_CALL_2(bpf_perf_event_read, const struct bpf_map *, map, u64, flags)
{
	struct perf_values values;
	struct perf_event *event;
	s64 error = find_event(map, flags, &event);

	if (!error)
		error = perf_read_local(event, &values);
	return error ? (u64)error : values.count;
}

/* struct bpf_perf_event_value: the count, the time enabled, the time running. */
#define VALUE_SIZE 24

static u64 put_values(s64 error, const struct perf_values *values, u64 *to, u32 size)
{
	if (error || size != VALUE_SIZE) {
		memset(to, 0, size);
		return (u64)(error ? error : -EINVAL);
	}
	to[0] = values->count;
	to[1] = values->enabled;
	to[2] = values->running;
	return 0;
}

BPF_CALL_4(bpf_perf_event_read_value, const struct bpf_map *, map, u64, flags, u64 *, to, u32, size)
{
	struct perf_values values;
	struct perf_event *event;
	s64 error = size == VALUE_SIZE ? find_event(map, flags, &event) : -EINVAL;

	if (!error)
		error = perf_read_local(event, &values);
	return put_values(error, &values, to, size);
}

/* Of the event whose sample runs the program. */
BPF_CALL_3(bpf_perf_prog_read_value, const void *, ctx __unused, u64 *, to, u32, size)
{
	struct perf_values values;
	s64 error = perf_read_local(bpf_current_run_ctx()->event, &values);

	return put_values(error, &values, to, size);
}
