/*
 * The entries and returns of functions with return probes: preemption is off, any context.
 * kretprobes.c has the probes, and the idea.
 */
#include "kernel/rcu/rculist.h"
#include "trace/fgraph/inline.h"
#include "trace/kprobes/kretprobe_pool.h"
#include "trace/kprobes/kretprobe_sites.h"

static __always_inline struct kretprobe_table *table_of(struct fgraph_ops *gops)
{
	return container_of(gops, struct kretprobe_table, graph);
}

static __always_inline void count_missed(struct kretprobe_site *site)
{
	struct kretprobe *rp;

	list_for_each_entry_rcu (rp, &site->probes, list) {
		if (!kprobe_disabled(&rp->kp))
			atomic64_inc(&rp->kp.nmissed);
	}
}

/* Adds an instance to the list of the call, unless the probe does not want its return. */
static __always_inline void enter_call(struct kretprobe *rp, struct pt_regs *regs,
				       unsigned long ret_addr, struct kretprobe_instance **list)
{
	struct kretprobe_instance *ri = kretprobe_take(rp->pool);

	if (unlikely(!ri)) {
		atomic64_inc(&rp->nmissed);
		return;
	}
	ri->ret_addr = ret_addr;
	if (rp->entry_handler && rp->entry_handler(ri, regs)) {
		kretprobe_give_back(ri);
		return;
	}
	ri->next = *list;
	*list = ri;
}

/* Enters the call for each probe. The caller has set kprobe_active, and regs for handlers. */
static __always_inline int enter_probes(struct kretprobe_site *site, struct ftrace_graph_ent *trace,
					struct fgraph_ops *gops, struct pt_regs *regs)
{
	struct kretprobe_instance **list;
	unsigned long ret_addr;
	struct kretprobe *rp;

	list = fgraph_call_reserve(trace, gops, sizeof(struct kretprobe_instance *));
	if (unlikely(!list)) {
		gops->lostfunc(gops, trace->func, NULL);
		return 0;
	}
	*list = NULL;
	ret_addr = ((struct fgraph_stack *)current_stable->trace)->top->ret;
	list_for_each_entry_rcu (rp, &site->probes, list) {
		if (!kprobe_disabled(&rp->kp))
			enter_call(rp, regs, ret_addr, list);
	}
	return *list != NULL;
}

__calls_callbacks static noinline int enter_site(struct kretprobe_site *site,
						 struct ftrace_graph_ent *trace,
						 struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_partial_regs(fregs);
	unsigned long continues = regs->ip;
	int entered;

	if (this_cpu_read(kprobe_active)) {
		count_missed(site);
		return 0;
	}
	regs->ip = trace->func + 1;
	this_cpu_write(kprobe_active, 1);
	entered = enter_probes(site, trace, gops, regs);
	this_cpu_write(kprobe_active, 0);
	regs->ip = continues;
	return entered;
}

/* Without handlers to call, kprobe_active stays as it is. */
__calls_callbacks static __always_inline int
kretprobe_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	struct kretprobe_site *site = find_site(table_of(gops), trace->func);
	u64 token, *word;

	if (unlikely(!site))
		return 0;
	token = READ_ONCE(site->token);
	if (unlikely(!token || !trace->frame || !this_cpu_is_zero(kprobe_active))) {
		struct ftrace_graph_ent copy = *trace; /* so that *trace stays in registers */

		return enter_site(site, &copy, gops, fregs);
	}
	word = fgraph_call_reserve(trace, gops, sizeof(*word));
	*word = token;
	return 1;
}

/* For its handler an instance is made here. */
__calls_callbacks static __always_inline void
return_without_instance(struct kretprobe *rp, struct pt_regs *regs, unsigned long ret)
{
	struct kretprobe_instance ri;

	ri.pool = rp->pool;
	ri.ret_addr = ret;
	rp->handler(&ri, regs);
}

__calls_callbacks static void return_instances(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe_instance *next;

	for (; ri; ri = next) {
		struct kretprobe *rp = get_kretprobe(ri);

		next = ri->next;
		if (likely(rp && rp->handler && !kprobe_disabled(&rp->kp)))
			rp->handler(ri, regs);
		kretprobe_give_back(ri);
	}
}

/* The probe of the token may have gone, or be one of several by now. */
__calls_callbacks static noinline void return_other(const struct kretprobe_site *site, u64 word,
						    struct pt_regs *regs, unsigned long ret)
{
	struct kretprobe *rp;

	if (!(word & IS_TOKEN)) {
		return_instances((struct kretprobe_instance *)word, regs);
		return;
	}
	if (!site)
		return;
	list_for_each_entry_rcu (rp, &site->probes, list)
		if (rp->pool->token == word && !kprobe_disabled(&rp->kp))
			return_without_instance(rp, regs, ret);
}

__calls_callbacks static __always_inline void
kretprobe_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	const struct kretprobe_site *site = find_site(table_of(gops), trace->func);
	u64 word = *(u64 *)fgraph_call_data(trace, gops);
	struct kretprobe *only = site ? smp_load_acquire(&site->only) : NULL;
	unsigned long ret = trace->frame->ret;
	struct pt_regs *regs = &fregs->regs;

	this_cpu_write(kprobe_active, 1);
	regs->ip = ret;
	regs->sp = (unsigned long)(fgraph_return_slot(fregs) + 1);
	if (likely(site && READ_ONCE(site->token) == word)) /* so only has not changed */
		return_without_instance(only, regs, ret);
	else
		return_other(site, word, regs, ret);
	this_cpu_write(kprobe_active, 0);
}

/* No memory for the call, or its task has ended in it. */
static void kretprobe_lost(struct fgraph_ops *gops, unsigned long func, void *data)
{
	struct kretprobe_site *site = find_site(table_of(gops), func);
	struct kretprobe *rp;

	if (data && *(u64 *)data & IS_TOKEN)
		return;
	if (data) {
		for (struct kretprobe_instance *ri = *(void **)data, *next; ri; ri = next) {
			next = ri->next;
			kretprobe_give_back(ri);
		}
	} else if (site) {
		list_for_each_entry_rcu (rp, &site->probes, list)
			atomic64_inc(&rp->nmissed);
	}
}

__calls_callbacks static void kretprobe_entry_stub(unsigned long ip, unsigned long parent_ip,
						   struct ftrace_ops *op,
						   struct ftrace_regs *fregs);
__calls_callbacks static void kretprobe_return_stub(struct ftrace_regs *fregs);
DEFINE_FGRAPH_STUBS(kretprobe, kretprobe_entry, kretprobe_return)
struct kretprobe_table kretprobe_table_args = { .graph = { .entryfunc = kretprobe_entry,
							   .retfunc = kretprobe_return,
							   .lostfunc = kretprobe_lost,
							   FGRAPH_STUBS(kretprobe) } };
struct kretprobe_table kretprobe_table_regs = { .graph = { .entryfunc = kretprobe_entry,
							   .retfunc = kretprobe_return,
							   .lostfunc = kretprobe_lost,
							   .ops.flags = FTRACE_OPS_FL_SAVE_REGS,
							   FGRAPH_STUBS(kretprobe) } };

/* The entryfunc of a function without a call site: in the handler of the kprobe there. */
__calls_callbacks static int kprobe_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
					  struct ftrace_regs *fregs)
{
	struct kretprobe_site *site = find_site(table_of(gops), trace->func);

	return site ? enter_probes(site, trace, gops, &fregs->regs) : 0;
}

struct kretprobe_table kretprobe_table_entries = { .graph = { .entryfunc = kprobe_entry,
							      .retfunc = kretprobe_return,
							      .lostfunc = kretprobe_lost,
							      .no_sites = true,
							      .ops.flags =
								      FTRACE_OPS_FL_SAVE_REGS } };

/* The return address is on top of the stack: no instruction of the function has been executed. */
__calls_callbacks int kretprobe_entry_hit(struct kprobe *p, struct pt_regs *regs)
{
	fgraph_enter_call(p->addr, &kretprobe_table_entries.graph.ops,
			  container_of(regs, struct ftrace_regs, regs), (unsigned long *)regs->sp,
			  kprobe_entry);
	return 0;
}

__kprobes /* the breakpoint handler calls it */
void kretprobe_entry_missed(struct kprobe *p)
{
	count_missed(container_of(p, struct kretprobe_site, entry));
}
