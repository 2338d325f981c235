/*
 * Function probes: fprobe.h.
 *
 * Probes that share a user of fgraph are in a table, by function. The data of a call begins with
 * the number of the registration that its entry belongs to: the probe may have gone before the
 * return, and another one may have come.
 */
#include "trace/kprobes/fprobe.h"

#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "trace/fgraph/inline.h"
#include "kernel/sched/mutex.h"
#include "trace/kprobes/internal.h"

#define BUCKETS 64U

/* Protects the table, and the user's registration. Before fgraph_mutex. */
static DEFINE_MUTEX(fprobe_mutex);
static struct fprobe *shared_probes[BUCKETS]; /* [fprobe_mutex] to write; RCU */
static unsigned nr_shared;                    /* [fprobe_mutex] probes in the table */
static u64 registrations;                     /* [fprobe_mutex] so far, of such probes */

/* ---- hits: preemption off, any context ---- */

/* Returns false, and counts the hit, if a handler of this CPU has caused it. */
static __always_inline bool begin_handler(struct fprobe *fp)
{
	if (unlikely(this_cpu_read(kprobe_active))) {
		atomic64_inc(&fp->nmissed);
		return false;
	}
	this_cpu_write(kprobe_active, 1);
	return true;
}

static __always_inline void end_handler(void)
{
	this_cpu_write(kprobe_active, 0);
}

__calls_callbacks static __always_inline int
fprobe_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	struct fprobe *fp = container_of(gops, struct fprobe, graph);
	void *data = NULL;
	int skip = 0;

	if (READ_ONCE(fp->flags) & FPROBE_FL_DISABLED || !begin_handler(fp))
		return 0;
	if (fp->entry_data_size)
		data = fgraph_call_reserve(trace, gops, (int)fp->entry_data_size);
	if (unlikely(fp->entry_data_size && !data)) {
		atomic64_inc(&fp->nmissed);
		skip = 1;
	} else if (fp->entry_handler) {
		const struct fgraph_stack *stack = current_stable->trace;

		skip = fp->entry_handler(fp, trace->func, stack->top->ret, fregs, data);
	}
	end_handler();
	return !skip;
}

__calls_callbacks static __always_inline void
fprobe_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	struct fprobe *fp = container_of(gops, struct fprobe, graph);
	void *data = fp->entry_data_size ? fgraph_call_data(trace, gops) : NULL;

	if (READ_ONCE(fp->flags) & FPROBE_FL_DISABLED)
		return;
	this_cpu_write(kprobe_active, 1);
	fp->exit_handler(fp, trace->func, trace->frame->ret, fregs, data);
	end_handler();
}

static void fprobe_lost(struct fgraph_ops *gops, unsigned long func __unused, void *data)
{
	if (!data)
		atomic64_inc(&container_of(gops, struct fprobe, graph)->nmissed);
}

__calls_callbacks static void fprobe_entry_stub(unsigned long ip, unsigned long parent_ip,
						struct ftrace_ops *op, struct ftrace_regs *fregs);
__calls_callbacks static void fprobe_return_stub(struct ftrace_regs *fregs);
DEFINE_FGRAPH_STUBS(fprobe, fprobe_entry, fprobe_return)
static const struct fgraph_ops graph_template = { .entryfunc = fprobe_entry,
						  .retfunc = fprobe_return,
						  .lostfunc = fprobe_lost,
						  .ops.flags = FTRACE_OPS_FL_DYNAMIC,
						  FGRAPH_STUBS(fprobe) };

static __always_inline struct fprobe **bucket_of(unsigned long addr)
{
	return &shared_probes[(addr ^ addr >> 7) % BUCKETS];
}

/* The probe of the function that shares the user, or NULL. fprobe_mutex, or in a hit. */
static __always_inline struct fprobe *find_shared(unsigned long addr)
{
	struct fprobe *fp = rcu_dereference(*bucket_of(addr));

	while (fp && fp->addr != addr)
		fp = rcu_dereference(fp->next_same);
	return fp;
}

__calls_callbacks static __always_inline int
shared_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	struct fprobe *fp = find_shared(trace->func);
	u64 *data;
	int skip = 0;

	if (!fp || READ_ONCE(fp->flags) & FPROBE_FL_DISABLED || !begin_handler(fp))
		return 0;
	data = fgraph_call_reserve(trace, gops, (int)(sizeof(u64) + fp->entry_data_size));
	if (unlikely(!data)) {
		atomic64_inc(&fp->nmissed);
		skip = 1;
	} else {
		const struct fgraph_stack *stack = current_stable->trace;

		data[0] = fp->registration;
		if (fp->entry_handler)
			skip = fp->entry_handler(fp, trace->func, stack->top->ret, fregs,
						 fp->entry_data_size ? data + 1 : NULL);
	}
	end_handler();
	return !skip;
}

__calls_callbacks static __always_inline void
shared_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	u64 *data = fgraph_call_data(trace, gops);
	struct fprobe *fp = find_shared(trace->func);

	if (!fp || fp->registration != data[0] || READ_ONCE(fp->flags) & FPROBE_FL_DISABLED)
		return;
	this_cpu_write(kprobe_active, 1);
	fp->exit_handler(fp, trace->func, trace->frame->ret, fregs,
			 fp->entry_data_size ? data + 1 : NULL);
	end_handler();
}

static void shared_lost(struct fgraph_ops *gops __unused, unsigned long func, void *data)
{
	struct fprobe *fp = data ? NULL : find_shared(func);

	if (fp)
		atomic64_inc(&fp->nmissed);
}

__calls_callbacks static void shared_entry_stub(unsigned long ip, unsigned long parent_ip,
						struct ftrace_ops *op, struct ftrace_regs *fregs);
__calls_callbacks static void shared_return_stub(struct ftrace_regs *fregs);
DEFINE_FGRAPH_STUBS(shared, shared_entry, shared_return)
static struct fgraph_ops shared_graph = { .entryfunc = shared_entry,
					  .retfunc = shared_return,
					  .lostfunc = shared_lost,
					  FGRAPH_STUBS(shared) };

/* The callback of a probe without an exit_handler. */
__calls_callbacks static void fprobe_only_entry(unsigned long ip, unsigned long parent_ip,
						struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct fprobe *fp = container_of(op, struct fprobe, graph.ops);

	preempt_disable_notrace();
	if (!(READ_ONCE(fp->flags) & FPROBE_FL_DISABLED) && begin_handler(fp)) {
		fp->entry_handler(fp, ip, parent_ip, fregs, NULL);
		end_handler();
	}
	preempt_enable_notrace();
}

bool fprobe_hides_preempt_off(unsigned long func)
{
	return func == (unsigned long)fprobe_only_entry;
}

/* ---- registration ---- */

static int begin_registration(struct fprobe *fp)
{
	if (fp->registered)
		return -EBUSY;
	if (!fp->entry_handler && !fp->exit_handler)
		return -EINVAL;
	if (fp->entry_data_size > MAX_FPROBE_DATA_SIZE)
		return -E2BIG;
	atomic64_set(&fp->nmissed, 0);
	fp->graph = graph_template;
	return 0;
}

/* Registers a probe whose filter is set, unless that has failed with error. */
static int end_registration(struct fprobe *fp, int error)
{
	if (!error && fp->exit_handler) {
		error = register_ftrace_graph(&fp->graph);
	} else if (!error) {
		fp->graph.ops.func = fprobe_only_entry;
		error = register_ftrace_function(&fp->graph.ops);
	}
	if (error)
		ftrace_free_filter(&fp->graph.ops);
	fp->registered = !error;
	return error;
}

static bool can_share(const struct fprobe *fp, unsigned long addr)
{
	return fp->exit_handler && fp->entry_data_size <= FGRAPH_MAX_DATA_SIZE - sizeof(u64) &&
	       !find_shared(addr);
}

/* Takes the probe out of the table. fprobe_mutex held. */
static void unlink_shared(struct fprobe *fp)
{
	struct fprobe **link = bucket_of(fp->addr);

	while (*link != fp)
		link = &(*link)->next_same;
	rcu_assign_pointer(*link, fp->next_same);
}

/*
 * Registers a probe that can_share(). The filter must not be empty while the user is registered:
 * that would be all functions. fprobe_mutex held.
 */
static int share(struct fprobe *fp, unsigned long addr)
{
	int error = ftrace_set_filter_ip(&shared_graph.ops, addr, false, false);

	if (error)
		return error;
	fp->addr = addr;
	fp->registration = ++registrations;
	fp->next_same = *bucket_of(addr);
	rcu_assign_pointer(*bucket_of(addr), fp);
	if (!nr_shared)
		error = register_ftrace_graph(&shared_graph);
	if (error) {
		unlink_shared(fp);
		ftrace_set_filter_ip(&shared_graph.ops, addr, true, false);
		return error;
	}
	nr_shared++;
	fp->shares = true;
	return 0;
}

/* fprobe_mutex held. */
static void unshare(struct fprobe *fp)
{
	unlink_shared(fp);
	if (!--nr_shared)
		unregister_ftrace_graph(&shared_graph);
	ftrace_set_filter_ip(&shared_graph.ops, fp->addr, true, false);
	synchronize_rcu(); /* handlers */
	fp->shares = false;
}

/* Whether the probe shares a user now, or has failed to (*error). */
static bool try_to_share(struct fprobe *fp, unsigned long addr, int *error)
{
	bool tried;

	mutex_lock(&fprobe_mutex);
	tried = can_share(fp, addr);
	if (tried)
		*error = share(fp, addr);
	mutex_unlock(&fprobe_mutex);
	fp->registered = tried && !*error;
	return tried;
}

int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter)
{
	int error = begin_registration(fp);

	if (error)
		return error;
	error = ftrace_set_filter(&fp->graph.ops, filter, strlen(filter), true);
	if (!error && notfilter)
		error = ftrace_set_notrace(&fp->graph.ops, notfilter, strlen(notfilter), true);
	return end_registration(fp, error);
}
EXPORT_SYMBOL_GPL(register_fprobe);

int register_fprobe_ips(struct fprobe *fp, const unsigned long *addrs, int num)
{
	int error = begin_registration(fp);

	if (error)
		return error;
	if (num <= 0)
		error = -EINVAL;
	if (num == 1 && try_to_share(fp, addrs[0], &error))
		return error;
	for (int i = 0; i < num && !error; i++)
		error = ftrace_set_filter_ip(&fp->graph.ops, addrs[i], false, false);
	return end_registration(fp, error);
}
EXPORT_SYMBOL_GPL(register_fprobe_ips);

int register_fprobe_syms(struct fprobe *fp, const char *const *syms, int num)
{
	int error = begin_registration(fp);

	if (error)
		return error;
	if (num <= 0)
		error = -EINVAL;
	for (int i = 0; i < num && !error; i++) {
		unsigned long addr = kallsyms_lookup_name(syms[i]);

		error = -ESRCH;
		if (addr && ftrace_location(addr))
			error = ftrace_set_filter_ip(&fp->graph.ops, addr, false, false);
	}
	return end_registration(fp, error);
}
EXPORT_SYMBOL_GPL(register_fprobe_syms);

int unregister_fprobe(struct fprobe *fp)
{
	if (!fp->registered)
		return -EINVAL;
	fp->registered = false;
	if (fp->shares) {
		mutex_lock(&fprobe_mutex);
		unshare(fp);
		mutex_unlock(&fprobe_mutex);
		return 0;
	}
	if (fp->exit_handler)
		unregister_ftrace_graph(&fp->graph);
	else
		unregister_ftrace_function(&fp->graph.ops);
	ftrace_free_filter(&fp->graph.ops);
	return 0;
}
EXPORT_SYMBOL_GPL(unregister_fprobe);
