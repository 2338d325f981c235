/* Hits of kprobes: kprobes.c explains how a breakpoint finds its site. */
#include "kernel/rcu/rculist.h"
#include "trace/ftrace/ftrace.h"
#include "trace/kprobes/internal.h"

DEFINE_PER_CPU(unsigned, kprobe_active);
bool kprobes_silenced;

struct kprobe_site *kprobe_slot_sites[KPROBE_BUCKETS];

__kprobes /* the breakpoint handler calls it */
static void count_missed(struct kprobe_site *site)
{
	struct kprobe *p;

	list_for_each_entry_rcu (p, &site->probes, list) {
		if (p->flags & KPROBE_FLAG_RETURNS)
			kretprobe_entry_missed(p);
		else if (!kprobe_disabled(p))
			atomic64_inc(&p->nmissed);
	}
}

/* Returns true if a handler has chosen where execution continues. */
__kprobes /* the breakpoint handler calls it */
static bool call_pre_handlers(struct kprobe_site *site, struct pt_regs *regs)
{
	struct kprobe *p;

	list_for_each_entry_rcu (p, &site->probes, list)
		if (!kprobe_disabled(p) && p->pre_handler && p->pre_handler(p, regs))
			return true;
	return false;
}

__kprobes /* the breakpoint handler calls it */
static void call_post_handlers(struct kprobe_site *site, struct pt_regs *regs)
{
	struct kprobe *p;

	list_for_each_entry_rcu (p, &site->probes, list)
		if (!kprobe_disabled(p) && p->post_handler)
			p->post_handler(p, regs, 0);
}

/* True: post handlers can be called now. False: execution continues in a slot or a detour. */
static __always_inline bool execute(const struct kprobe_site *site, struct pt_regs *regs)
{
	const struct kprobe_detour *detour = rcu_dereference(site->detour);

	if (!detour)
		return arch_kprobe_execute(&site->arch, regs);
	regs->ip = arch_detour_copies(&detour->arch);
	return false;
}

/* The end of a slot. A hit that was missed has no post handler, and ends while it is missed. */
__kprobes /* the breakpoint handler calls it */
static bool slot_hit(struct pt_regs *regs)
{
	struct kprobe_site *site = kprobe_find_slot(regs->ip - 1);

	if (!site || !arch_kprobe_leave_slot(&site->arch, regs))
		return false;
	if (!this_cpu_read(kprobe_active) && !READ_ONCE(kprobes_silenced)) {
		preempt_disable();
		this_cpu_write(kprobe_active, 1);
		call_post_handlers(site, regs);
		this_cpu_write(kprobe_active, 0);
		preempt_enable_no_resched();
	}
	return true;
}

__kprobes /* the breakpoint handler calls it */
bool kprobe_int3(struct pt_regs *regs)
{
	struct kprobe_site *site = kprobe_find_site(&kprobe_table, regs->ip - 1);

	if (!site || unlikely(site->ftrace)) /* the int3 of a batch that has just ended */
		return slot_hit(regs);
	if (this_cpu_read(kprobe_active) || READ_ONCE(kprobes_silenced)) {
		count_missed(site);
		execute(site, regs);
		return true;
	}
	preempt_disable(); /* the context of an event does not count one level */
	this_cpu_write(kprobe_active, 1);
	if (!call_pre_handlers(site, regs) && execute(site, regs))
		call_post_handlers(site, regs);
	this_cpu_write(kprobe_active, 0);
	preempt_enable_no_resched();
	return true;
}

__kprobes /* a probe's fault comes here: it would be counted twice */
void kprobe_fault(struct pt_regs *regs)
{
	struct kprobe_site *site = kprobe_find_slot(regs->ip);

	if (site)
		arch_kprobe_leave_faulted(&site->arch, regs);
	else
		kprobe_detour_fault(regs);
}

/* A hit at a jump. Counts, too, if the jump has gone since; there may be no site any more. */
__kprobes /* it may be in the handler of another probe */
void kprobe_detour_hit(void *data, struct pt_regs *regs)
{
	const struct kprobe_detour *detour = data;
	struct kprobe_site *site;
	bool redirected = false;

	preempt_disable_notrace();
	regs->ip = detour->arch.addr + 1;
	site = kprobe_find_site(&kprobe_table, detour->arch.addr);
	if (unlikely(site && (this_cpu_read(kprobe_active) || READ_ONCE(kprobes_silenced)))) {
		count_missed(site);
	} else if (likely(site)) {
		this_cpu_write(kprobe_active, 1);
		redirected = call_pre_handlers(site, regs);
		this_cpu_write(kprobe_active, 0);
	}
	if (likely(!redirected))
		regs->ip = arch_detour_copies(&detour->arch);
	preempt_enable_notrace();
}

/* The pre_handler of kprobe_site.all. Preemption off, kprobe_active is 1. */
__kprobes /* it may be in the handler of another probe */
int kprobe_call_all(struct kprobe *all, struct pt_regs *regs)
{
	struct kprobe_site *site = container_of(all, struct kprobe_site, all);

	if (call_pre_handlers(site, regs))
		return 1;
	regs->ip = site->addr + FTRACE_SITE_SIZE;
	call_post_handlers(site, regs);
	return 0;
}

/*
 * A hit at a call site. Preemption off. has_ip: execution continues at regs->ip, so that is put
 * back. Without it only arguments are saved, and regs->ip is nothing.
 */
static __always_inline void ftrace_hit(struct kprobe_table *table, unsigned long ip,
				       struct ftrace_regs *fregs, bool has_ip)
{
	struct kprobe_site *site = kprobe_find_site(table, ip);
	struct pt_regs *regs = ftrace_partial_regs(fregs);
	unsigned long continues = regs->ip;
	struct kprobe *first;

	if (unlikely(!site))
		return;
	if (unlikely(!this_cpu_is_zero(kprobe_active))) {
		count_missed(site);
		return;
	}
	this_cpu_write(kprobe_active, 1);
	regs->ip = ip + 1;
	first = rcu_dereference(site->first);
	if (unlikely(first->pre_handler(first, regs)))
		ftrace_instruction_pointer_set(fregs, regs->ip);
	else if (has_ip)
		regs->ip = continues;
	this_cpu_write(kprobe_active, 0);
}

__kprobes /* it may be in the handler of another probe */
static void kprobe_ftrace_handler(unsigned long ip, unsigned long parent_ip __unused,
				  struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	preempt_disable_notrace();
	ftrace_hit(&kprobe_table, ip, fregs, true);
	preempt_enable_notrace();
}

__kprobes /* it may be in the handler of another probe */
static noinline void args_hit_with_ip(unsigned long ip, struct ftrace_regs *fregs)
{
	ftrace_hit(&kprobe_args_table, ip, fregs, true);
}

/* Another ops of the site may want all registers. */
__kprobes /* it may be in the handler of another probe */
static void kprobe_args_handler(unsigned long ip, unsigned long parent_ip __unused,
				struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	preempt_disable_notrace();
	if (unlikely(ftrace_get_regs(fregs)))
		args_hit_with_ip(ip, fregs);
	else
		ftrace_hit(&kprobe_args_table, ip, fregs, false);
	preempt_enable_notrace();
}

struct kprobe_site kprobe_no_site = { .addr = ~0UL };
#define NO_SITES                                                                                   \
	{                                                                                          \
		[0 ... KPROBE_BUCKETS - 1] = &kprobe_no_site                                       \
	}
struct kprobe_table kprobe_table = {
	.sites = NO_SITES,
	.ops = { .func = kprobe_ftrace_handler, .flags = FTRACE_OPS_FL_SAVE_REGS },
};
struct kprobe_table kprobe_args_table = {
	.sites = NO_SITES,
	.ops = { .func = kprobe_args_handler },
};

bool kprobe_hides_preempt_off(unsigned long func)
{
	return func == (unsigned long)kprobe_ftrace_handler ||
	       func == (unsigned long)kprobe_args_handler ||
	       func == (unsigned long)kprobe_detour_hit;
}
