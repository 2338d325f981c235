/*
 * wakers, the part in the kernel: which task wakes which one, and how long the woken one waits for a CPU.
 *
 * The tracepoint sched_waking fires in the task that wakes, and sched_switch when the woken one gets a CPU. A hash keeps the
 * beginning of each wait in between.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "wakers.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct begin {
	unsigned long long time;
	char waker[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, int); /* the PID of the woken task */
	__type(value, struct begin);
} begins SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_PERCPU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct pair);
	__type(value, struct waits);
} pairs SEC(".maps");

/* A variable is one element of a map that ring 3 has in its memory, too. */
unsigned long long histogram[SLOTS];

SEC("tp_btf/sched_waking")
int BPF_PROG(task_is_woken, struct task_struct *p)
{
	struct begin begin = { .time = bpf_ktime_get_ns() };
	int pid = p->pid;

	bpf_get_current_comm(begin.waker, sizeof(begin.waker));
	bpf_map_update_elem(&begins, &pid, &begin, BPF_ANY);
	return 0;
}

static unsigned slot_of(unsigned long long microseconds)
{
	unsigned slot = 0;

	for (unsigned i = 0; i < SLOTS - 1 && microseconds > 1; i++) {
		microseconds >>= 1;
		slot++;
	}
	return slot;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(task_gets_a_cpu, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	int pid = next->pid;
	struct begin *begin = bpf_map_lookup_elem(&begins, &pid);
	struct waits first = {}, *waits;
	struct pair pair = {};
	unsigned long long wait;
	unsigned slot;

	if (!begin)
		return 0;
	wait = bpf_ktime_get_ns() - begin->time;
	__builtin_memcpy(pair.waker, begin->waker, sizeof(pair.waker));
	bpf_probe_read_kernel_str(pair.woken, sizeof(pair.woken), next->comm);
	bpf_map_delete_elem(&begins, &pid);

	slot = slot_of(wait / 1000);
	if (slot < SLOTS)
		__sync_fetch_and_add(&histogram[slot], 1);

	waits = bpf_map_lookup_elem(&pairs, &pair);
	if (!waits) {
		bpf_map_update_elem(&pairs, &pair, &first, BPF_NOEXIST);
		waits = bpf_map_lookup_elem(&pairs, &pair);
		if (!waits)
			return 0;
	}
	/* No other CPU writes this CPU's value, and no program interrupts this one on it. */
	waits->count++;
	waits->total += wait;
	if (wait > waits->longest)
		waits->longest = wait;
	return 0;
}
