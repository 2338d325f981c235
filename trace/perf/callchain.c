/*
 * Call chains of samples: the frames of the kernel, then those of the program, behind a mark each.
 *
 * A chain is collected before the record, whose size depends on it. Each CPU has memory for one
 * chain at each level of perf_recursion_enter(), which keeps a level to one sample at a time, while
 * there is an event that asks for chains.
 */
#include "trace/perf/sample.h"

#include "arch/cpu/ptrace.h"
#include "arch/unwind/stacktrace.h"
#include "arch/unwind/unwind_event.h"
#include "arch/user/mmu_context.h"
#include "fs/proc/proc_fs.h"
#include "kernel/mm/vmalloc.h"

#define MARKS        2    /* PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER */
#define MAX_STACK    8000 /* a longer chain does not fit in a record */
#define MAX_CONTEXTS 1000

int sysctl_perf_event_max_stack = 127;
static int max_contexts = 8; /* kept: a chain has at most MARKS */

static DEFINE_MUTEX(callchain_mutex);
static int chain_users;                     /* [callchain_mutex] */
static unsigned chain_len;                  /* words of a chain; constant while there are users */
static DEFINE_PER_CPU(u64 *, chain_memory); /* [callchain_mutex], RCU to read; NULL: no user */

/* callchain_mutex held. */
static void free_chains(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		kvfree(per_cpu(chain_memory, cpu));
		per_cpu(chain_memory, cpu) = NULL;
	}
}

/* callchain_mutex held. */
static int make_chains(void)
{
	unsigned cpu;

	chain_len = (unsigned)sysctl_perf_event_max_stack + MARKS;
	for_each_possible_cpu (cpu) {
		u64 *memory = kvzalloc(PERF_LEVELS * chain_len * sizeof(u64), GFP_KERNEL);

		if (!memory) {
			free_chains();
			return -ENOMEM;
		}
		smp_store_release(&per_cpu(chain_memory, cpu), memory);
	}
	return 0;
}

int perf_callchain_users(int n)
{
	int error = 0;

	mutex_lock(&callchain_mutex);
	if (!chain_users)
		error = make_chains();
	if (!error)
		chain_users += n;
	if (!error && !chain_users) {
		synchronize_rcu(); /* the last sample may be at work */
		free_chains();
	}
	mutex_unlock(&callchain_mutex);
	return error;
}

/* Memory is of the size that the first user has found: -EBUSY. */
static int proc_limit(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int error;

	mutex_lock(&callchain_mutex);
	error = write && chain_users ? -EBUSY : proc_dointvec_positive(table, write, buf, size);
	mutex_unlock(&callchain_mutex);
	return error;
}

SYSCTL(perf_max_stack, "kernel", "perf_event_max_stack", 0644, proc_limit,
       .data = &sysctl_perf_event_max_stack, .maxlen = sizeof(int), .most = MAX_STACK);
SYSCTL(perf_max_contexts, "kernel", "perf_event_max_contexts_per_stack", 0644, proc_limit,
       .data = &max_contexts, .maxlen = sizeof(int), .most = MAX_CONTEXTS);

/*
 * At a switch the current task is still prev when the memory of next is loaded. And the memory of a
 * task that ends is given up before the task is.
 */
bool perf_shows_user(const struct perf_sample_data *data)
{
	const struct task_struct *task = current_stable;

	return !in_nmi() && data->task == task && task->mm && !(task->flags & PF_EXITING) &&
	       loaded_mm() == task->mm;
}

const struct pt_regs *perf_user_regs(const struct perf_sample_data *data)
{
	return data->regs && user_mode(data->regs) ? data->regs : task_pt_regs(current_stable);
}

/* The frames of the kernel, at most max. */
static unsigned kernel_frames(const struct perf_sample_data *data, u64 *entries, unsigned max)
{
	unsigned long *to = (unsigned long *)entries;

	if (data->regs)
		return user_mode(data->regs)
			       ? 0
			       : stack_trace_save_regs((struct pt_regs *)data->regs, to, max);
	if (!data->frame || !max)
		return 0;
	to[0] = data->ip;
	return 1 + stack_trace_save_frame(data->frame, to + 1, max - 1);
}

const u64 *perf_callchain(const struct perf_event *event, const struct perf_sample_data *data,
			  unsigned level, bool user, unsigned *nr)
{
	const struct perf_event_attr *attr = event->attr;
	u64 *chain = this_cpu_read(chain_memory);
	unsigned n = 0, left;

	*nr = 0;
	if (!chain)
		return NULL;
	chain += level * chain_len;
	left = min((unsigned)attr->sample_max_stack, chain_len - MARKS);
	if (!attr->exclude_callchain_kernel && perf_shows_kernel(event, data)) {
		unsigned frames = kernel_frames(data, chain + 1, left);

		chain[0] = PERF_CONTEXT_KERNEL;
		n = 1 + frames;
		left -= frames;
	}
	if (!attr->exclude_callchain_user && user) {
		chain[n] = PERF_CONTEXT_USER;
		n += 1 + stack_trace_save_user_regs(perf_user_regs(data),
						    (unsigned long *)chain + n + 1, left);
	}
	*nr = n;
	return chain;
}
