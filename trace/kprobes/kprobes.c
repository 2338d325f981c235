/*
 * Kprobes. All probes of one address share a site. A site at the call site of a function is reached
 * by ftrace; any other by an int3 (arch/kprobes.h), which a jump may replace later (optimize.c).
 *
 * A breakpoint of a site is found without a lock. The site enters the tables before its int3 is
 * written. It leaves them after the int3 is gone and all CPUs have answered an IPI: a CPU that has
 * trapped answers after its handler. So the handler finds each int3 that it sees.
 */
#include "trace/kprobes/kprobes.h"

#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/module/module.h"
#include "kernel/rcu/rculist.h"
#include "trace/ftrace/internal.h"
#include "trace/kprobes/internal.h"

#define BUCKETS 64U

/* Sites, by address. Those at call sites of ftrace use ops. */
struct kprobe_table {
	struct kprobe_site *sites[BUCKETS]; /* [kprobe_mutex] to write; RCU */
	unsigned ftrace_sites;              /* [kprobe_mutex] armed */
	struct ftrace_ops ops;
};

DEFINE_MUTEX(kprobe_mutex);
DEFINE_PER_CPU(unsigned, kprobe_active);
bool kprobes_all_disarmed, kprobes_silenced;

/* args_table: probes at call sites that need only arguments. Handlers are below. */
static struct kprobe_table table, args_table;
static struct kprobe_site *slot_sites[BUCKETS]; /* [kprobe_mutex] to write; by slot; RCU */
static struct kprobe_site *gone_sites;          /* [kprobe_mutex] */

static __always_inline struct kprobe_site **bucket_of(struct kprobe_table *sites,
						      unsigned long addr)
{
	return &sites->sites[(addr ^ addr >> 7) % BUCKETS];
}

static __always_inline struct kprobe_site **slot_bucket_of(unsigned long slot)
{
	return &slot_sites[slot / KPROBE_SLOT_SIZE % BUCKETS];
}

/* ---- hits ---- */

static __always_inline struct kprobe_site *find_site(struct kprobe_table *sites, unsigned long addr)
{
	struct kprobe_site *site = rcu_dereference(*bucket_of(sites, addr));

	while (site && site->addr != addr)
		site = rcu_dereference(site->next);
	return site;
}

static __always_inline struct kprobe_site *find_slot(unsigned long ip)
{
	unsigned long slot = ALIGN_DOWN(ip, KPROBE_SLOT_SIZE);
	struct kprobe_site *site = rcu_dereference(*slot_bucket_of(slot));

	while (site && site->arch.slot != slot)
		site = rcu_dereference(site->next_slot);
	return site;
}

__kprobes /* the breakpoint handler calls it */
	static void
	count_missed(struct kprobe_site *site)
{
	struct kprobe *p;

	list_for_each_entry_rcu(p, &site->probes, list) if (!kprobe_disabled(p))
		atomic64_inc(&p->nmissed);
}

/* Returns true if a handler has chosen where execution continues. */
__kprobes /* the breakpoint handler calls it */
	static bool
	call_pre_handlers(struct kprobe_site *site, struct pt_regs *regs)
{
	struct kprobe *p;

	list_for_each_entry_rcu(p, &site->probes, list) if (!kprobe_disabled(p) && p->pre_handler &&
							    p->pre_handler(p, regs)) return true;
	return false;
}

__kprobes /* the breakpoint handler calls it */
	static void
	call_post_handlers(struct kprobe_site *site, struct pt_regs *regs)
{
	struct kprobe *p;

	list_for_each_entry_rcu(p, &site->probes, list) if (!kprobe_disabled(p) && p->post_handler)
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
	static bool
	slot_hit(struct pt_regs *regs)
{
	struct kprobe_site *site = find_slot(regs->ip - 1);

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
	static bool
	kprobe_int3(struct pt_regs *regs)
{
	struct kprobe_site *site = find_site(&table, regs->ip - 1);

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
	static void
	kprobe_fault(struct pt_regs *regs)
{
	struct kprobe_site *site = find_slot(regs->ip);

	if (site)
		arch_kprobe_leave_faulted(&site->arch, regs);
	else
		kprobe_detour_fault(regs);
}

/* A hit at a jump. Counts, too, if the jump has gone since; there may be no site any more. */
__kprobes /* it may be in the handler of another probe */
	static void
	kprobe_detour_hit(void *data, struct pt_regs *regs)
{
	const struct kprobe_detour *detour = data;
	struct kprobe_site *site;
	bool redirected = false;

	preempt_disable_notrace();
	regs->ip = detour->arch.addr + 1;
	site = find_site(&table, detour->arch.addr);
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

/* The general case of a hit at a call site. Preemption off. */
__kprobes /* it may be in the handler of another probe */
	static noinline void
	ftrace_hit(struct kprobe_site *site, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = &fregs->regs;
	unsigned long continues = regs->ip;

	if (this_cpu_read(kprobe_active)) {
		count_missed(site);
		return;
	}
	this_cpu_write(kprobe_active, 1);
	regs->ip = site->addr + 1;
	regs->sp = (unsigned long)ftrace_regs_return_slot(fregs);
	if (call_pre_handlers(site, regs)) {
		ftrace_instruction_pointer_set(fregs, regs->ip);
	} else {
		regs->ip = site->addr + FTRACE_SITE_SIZE;
		call_post_handlers(site, regs);
		regs->ip = continues;
	}
	this_cpu_write(kprobe_active, 0);
}

__kprobes /* it may be in the handler of another probe */
	static void
	kprobe_ftrace_handler(unsigned long ip, unsigned long parent_ip __unused,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct kprobe_site *site;
	struct kprobe *only;

	preempt_disable_notrace();
	site = find_site(container_of(op, struct kprobe_table, ops), ip);
	if (unlikely(!site))
		goto enable;
	only = rcu_dereference(site->only);
	if (likely(only && !this_cpu_read(kprobe_active))) {
		struct pt_regs *regs = &fregs->regs;
		unsigned long continues = regs->ip;

		this_cpu_write(kprobe_active, 1);
		regs->ip = ip + 1;
		regs->sp = (unsigned long)ftrace_regs_return_slot(fregs);
		if (unlikely(only->pre_handler(only, regs)))
			ftrace_instruction_pointer_set(fregs, regs->ip);
		else
			regs->ip = continues;
		this_cpu_write(kprobe_active, 0);
	} else {
		ftrace_hit(site, fregs);
	}
enable:
	preempt_enable_notrace();
}

static struct kprobe_table table = { .ops = { .func = kprobe_ftrace_handler,
					      .flags = FTRACE_OPS_FL_SAVE_REGS } };
static struct kprobe_table args_table = { .ops = { .func = kprobe_ftrace_handler } };

bool kprobe_hides_preempt_off(unsigned long func)
{
	return func == (unsigned long)kprobe_ftrace_handler ||
	       func == (unsigned long)kprobe_detour_hit;
}

struct kprobe_site *kprobe_site_at(unsigned long addr)
{
	struct kprobe_site *site = find_site(&table, addr);

	return site && !site->ftrace ? site : NULL;
}

void kprobe_sites_for_each(void (*fn)(void *data, struct kprobe_site *site), void *data)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct kprobe_site *site = table.sites[i]; site; site = site->next)
			fn(data, site);
}

/* ---- sites ---- */

static struct kprobe_site *make_site(struct kprobe_table *sites, unsigned long addr)
{
	struct kprobe_site *site = kzalloc(sizeof(*site), GFP_KERNEL);
	u8 bytes[MAX_INSN_SIZE];
	int error = 0;

	if (!site)
		return ERR_PTR(-ENOMEM);
	site->addr = addr;
	site->table = sites;
	INIT_LIST_HEAD(&site->probes);
	site->ftrace = ftrace_location(addr);
	if (!site->ftrace)
		error = arch_kprobe_prepare(&site->arch, addr, bytes,
					    kprobe_read_text(addr, bytes));
	if (error) {
		kfree(site);
		return ERR_PTR(error);
	}
	if (site->arch.slot) {
		site->next_slot = *slot_bucket_of(site->arch.slot);
		rcu_assign_pointer(*slot_bucket_of(site->arch.slot), site);
	}
	site->next = *bucket_of(sites, addr);
	rcu_assign_pointer(*bucket_of(sites, addr), site);
	return site;
}

static void unlink_site(struct kprobe_site *site)
{
	struct kprobe_site **link = site->gone ? &gone_sites : bucket_of(site->table, site->addr);

	while (*link != site)
		link = &(*link)->next;
	rcu_assign_pointer(*link, site->next);
}

/* The site is not armed. */
static void free_site(struct kprobe_site *site)
{
	struct kprobe_site **link;

	unlink_site(site);
	if (!site->ftrace)
		kprobe_optimize_around(site->addr);
	/* A CPU may be in the slot, with interrupts off, until the end of the grace period. */
	synchronize_rcu();
	if (site->arch.slot) {
		link = slot_bucket_of(site->arch.slot);
		while (*link != site)
			link = &(*link)->next_slot;
		rcu_assign_pointer(*link, site->next_slot);
		synchronize_rcu();
		arch_kprobe_release(&site->arch);
	}
	kfree(site);
}

static int arm_ftrace(struct kprobe_table *sites, unsigned long addr)
{
	int error = ftrace_set_filter_ip(&sites->ops, addr, false, false);

	if (error)
		return error;
	if (!sites->ftrace_sites) {
		error = register_ftrace_function(&sites->ops);
		if (error) {
			ftrace_set_filter_ip(&sites->ops, addr, true, false);
			return error;
		}
	}
	sites->ftrace_sites++;
	return 0;
}

static void disarm_ftrace(struct kprobe_table *sites, unsigned long addr)
{
	if (!--sites->ftrace_sites)
		unregister_ftrace_function(&sites->ops); /* an empty filter is all functions */
	ftrace_set_filter_ip(&sites->ops, addr, true, false);
}

static unsigned count_enabled(struct kprobe_site *site, struct kprobe **last)
{
	unsigned enabled = 0;
	struct kprobe *p;

	site->only_pre = true;
	list_for_each_entry (p, &site->probes, list) {
		if (kprobe_disabled(p))
			continue;
		enabled++;
		*last = p;
		site->only_pre &= !p->post_handler;
	}
	return enabled;
}

/* Arms the site if a probe is enabled, and disarms it if none is. */
static int update_site(struct kprobe_site *site)
{
	struct kprobe *last = NULL;
	unsigned enabled = count_enabled(site, &last);
	bool wanted = enabled && !kprobes_all_disarmed;
	int error = 0;

	if (enabled != 1 || last->post_handler || !last->pre_handler)
		last = NULL;
	rcu_assign_pointer(site->only, last);
	if (!wanted || !site->only_pre)
		kprobe_unoptimize(site);
	if (wanted == site->armed)
		goto optimize;
	if (site->ftrace && wanted)
		error = arm_ftrace(site->table, site->addr);
	else if (site->ftrace)
		disarm_ftrace(site->table, site->addr);
	else if (wanted)
		arch_kprobe_arm(&site->arch);
	else
		arch_kprobe_disarm(&site->arch);
	if (error)
		return error;
	site->armed = wanted;
optimize:
	kprobe_optimize(site);
	return 0;
}

static int update_table(struct kprobe_table *sites)
{
	int error = 0;

	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct kprobe_site *site = sites->sites[i]; site && !error; site = site->next)
			error = update_site(site);
	return error;
}

int kprobes_set_all(bool disarmed)
{
	int error;

	kprobes_all_disarmed = disarmed;
	error = update_table(&table);
	if (!error)
		error = update_table(&args_table);
	return error ? error : kretprobes_set_all();
}

static void visit_sites(const struct kprobe_site *site, kprobe_visit_t fn, void *data)
{
	const struct kprobe *p;

	for (; site; site = site->next)
		list_for_each_entry (p, &site->probes, list)
			fn(data, p, 'k', site->ftrace);
}

void kprobes_for_each(kprobe_visit_t fn, void *data)
{
	for (unsigned i = 0; i < BUCKETS; i++) {
		visit_sites(table.sites[i], fn, data);
		visit_sites(args_table.sites[i], fn, data);
	}
	visit_sites(gone_sites, fn, data);
	kretprobes_for_each(fn, data);
}

/* ---- the interface ---- */

static int add_probe(struct kprobe *p, unsigned long addr)
{
	struct kprobe_table *sites = p->args_only && ftrace_location(addr) ? &args_table : &table;
	struct kprobe_site *site = find_site(sites, addr);
	int error;

	if (!site) {
		kprobe_unoptimize_around(addr);
		site = make_site(sites, addr);
	}
	if (IS_ERR(site))
		return (int)PTR_ERR(site);
	atomic64_set(&p->nmissed, 0);
	p->flags &= KPROBE_FLAG_DISABLED;
	list_add_tail_rcu(&p->list, &site->probes);
	error = update_site(site);
	if (error) {
		list_del_rcu(&p->list);
		synchronize_rcu();
		if (list_empty(&site->probes))
			free_site(site);
		return error;
	}
	p->addr = addr;
	p->site = site;
	return 0;
}

int register_kprobe(struct kprobe *p)
{
	unsigned long addr;
	int error;

	mutex_lock(&kprobe_mutex);
	error = p->site ? -EINVAL : kprobe_address(p, &addr);
	if (!error)
		error = add_probe(p, addr);
	mutex_unlock(&kprobe_mutex);
	return error;
}
EXPORT_SYMBOL_GPL(register_kprobe);

void unregister_kprobe(struct kprobe *p)
{
	struct kprobe_site *site;

	mutex_lock(&kprobe_mutex);
	site = p->site;
	if (!site)
		goto unlock;
	p->site = NULL;
	list_del_rcu(&p->list);
	update_site(site);
	synchronize_rcu();
	if (list_empty(&site->probes))
		free_site(site);
	if (p->symbol_name) /* it may be registered again */
		p->addr = 0;
unlock:
	mutex_unlock(&kprobe_mutex);
}
EXPORT_SYMBOL_GPL(unregister_kprobe);

static int set_disabled(struct kprobe *p, bool disabled)
{
	u32 old = p->flags;
	int error = -EINVAL;

	mutex_lock(&kprobe_mutex);
	if (p->site && !(p->flags & KPROBE_FLAG_GONE)) {
		WRITE_ONCE(p->flags, disabled ? old | KPROBE_FLAG_DISABLED
					      : old & ~(u32)KPROBE_FLAG_DISABLED);
		error = update_site(p->site);
		if (error)
			WRITE_ONCE(p->flags, old);
		else if (disabled)
			synchronize_rcu(); /* for its handlers */
	}
	mutex_unlock(&kprobe_mutex);
	return error;
}

int enable_kprobe(struct kprobe *p)
{
	return set_disabled(p, false);
}
EXPORT_SYMBOL_GPL(enable_kprobe);

int disable_kprobe(struct kprobe *p)
{
	return set_disabled(p, true);
}
EXPORT_SYMBOL_GPL(disable_kprobe);

/* ---- modules ---- */

/* Disarms the site for ever. Its probes stay registered. */
static void site_gone(struct kprobe_site *site)
{
	struct kprobe *p;

	list_for_each_entry (p, &site->probes, list)
		WRITE_ONCE(p->flags, p->flags | KPROBE_FLAG_GONE);
	update_site(site);
	unlink_site(site);
	synchronize_rcu(); /* readers of the bucket, handlers, and slots */
	site->gone = true;
	site->next = gone_sites;
	gone_sites = site;
}

static void table_gone(struct kprobe_table *sites, const struct module *module, bool only_init)
{
	for (unsigned i = 0; i < BUCKETS; i++) {
		struct kprobe_site *site = sites->sites[i], *next;

		for (; site; site = next) {
			next = site->next;
			if (kprobe_in_module(site->addr, module, only_init))
				site_gone(site);
		}
	}
}

static void module_gone(const struct module *module, bool only_init)
{
	mutex_lock(&kprobe_mutex);
	table_gone(&table, module, only_init);
	table_gone(&args_table, module, only_init);
	kretprobes_module_gone(module, only_init);
	mutex_unlock(&kprobe_mutex);
}

static void module_live(struct module *module)
{
	module_gone(module, true);
}

static void module_going(struct module *module)
{
	module_gone(module, false);
}

static struct module_notifier module_notifier = { .live = module_live, .going = module_going };

static const struct arch_kprobe_handlers handlers = { .int3 = kprobe_int3,
						      .fault = kprobe_fault,
						      .detour = kprobe_detour_hit };

static int __init kprobes_init(void)
{
	arch_kprobe_set_handlers(&handlers);
	register_module_notifier(&module_notifier);
	return 0;
}
core_initcall(kprobes_init); /* after that of ftrace, so that it is told of going modules first */
