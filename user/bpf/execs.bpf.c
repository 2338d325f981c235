/*
 * execs, the part in the kernel: one record for each process that executes a program, and one for each that ends.
 *
 * A ring buffer takes the records of all CPUs, in the order in which they were reserved.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "execs.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct record {
	struct event event;
	char args[ARGS_MAX]; /* each with its 0 */
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024); /* bytes */
} events SEC(".maps");

unsigned long long lost; /* records for which the ring buffer had no room */

static struct record *reserve(struct task_struct *p)
{
	struct record *record = bpf_ringbuf_reserve(&events, sizeof(*record), 0);

	if (!record) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	record->event.pid = p->tgid;
	record->event.ppid = p->real_parent->tgid;
	record->event.args = 0;
	bpf_get_current_comm(record->event.comm, sizeof(record->event.comm));
	return record;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(process_executes, struct task_struct *p)
{
	unsigned long start = p->mm->arg_start, size = p->mm->arg_end - start;
	struct record *record = reserve(p);

	if (!record)
		return 0;
	if (size > ARGS_MAX)
		size = ARGS_MAX;
	if (bpf_probe_read_user(record->args, size, (void *)start) == 0)
		record->event.args = size;
	bpf_ringbuf_submit(record, 0);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(task_exits, struct task_struct *p)
{
	struct record *record;

	if (p->pid != p->tgid) /* a thread */
		return 0;
	record = reserve(p);
	if (!record)
		return 0;
	record->event.exit_code = p->exit_code;
	record->event.ran = bpf_ktime_get_ns() - p->start_time;
	bpf_ringbuf_submit(record, 0);
	return 0;
}
