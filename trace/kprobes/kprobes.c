/*
 * Kprobes. All probes of one address share a site. A site at the call site of a function is reached
 * by ftrace; any other by an int3 (arch/probes/kprobes.h), which a jump may replace later
 * (optimize.c).
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
#include "kernel/module_list.h"
#include "kernel/rcu/rculist.h"
#include "trace/ftrace/internal.h"
#include "trace/kprobes/internal.h"

DEFINE_MUTEX(kprobe_mutex);
bool kprobes_all_disarmed;

static struct kprobe_site *gone_sites = &kprobe_no_site; /* [kprobe_mutex] */

struct kprobe_site *kprobe_site_at(unsigned long addr)
{
	struct kprobe_site *site = kprobe_find_site(&kprobe_table, addr);

	return site && !site->ftrace ? site : NULL;
}

void kprobe_sites_for_each(void (*fn)(void *data, struct kprobe_site *site), void *data)
{
	struct kprobe_site *site;

	for (unsigned i = 0; i < KPROBE_BUCKETS; i++)
		kprobe_for_each_site(site, kprobe_table.sites[i]) fn(data, site);
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
	site->all.pre_handler = kprobe_call_all;
	site->first = &site->all;
	site->ftrace = ftrace_location(addr);
	if (!site->ftrace)
		error = arch_kprobe_prepare(&site->arch, addr, bytes,
					    kprobe_read_text(addr, bytes));
	if (error) {
		kfree(site);
		return ERR_PTR(error);
	}
	if (site->arch.slot) {
		site->next_slot = *kprobe_slot_bucket(site->arch.slot);
		rcu_assign_pointer(*kprobe_slot_bucket(site->arch.slot), site);
	}
	site->next = *kprobe_bucket(sites, addr);
	rcu_assign_pointer(*kprobe_bucket(sites, addr), site);
	return site;
}

static void unlink_site(struct kprobe_site *site)
{
	struct kprobe_site **link =
		site->gone ? &gone_sites : kprobe_bucket(site->table, site->addr);

	while (*link != site)
		link = &(*link)->next;
	rcu_assign_pointer(*link, site->next);
}

/* No CPU reads the site or is in its slot. */
static void release_site(struct rcu_head *head)
{
	struct kprobe_site *site = container_of(head, struct kprobe_site, rcu);

	arch_kprobe_release(&site->arch);
	kfree(site);
}

/* Until the end of the first grace period a CPU may be in the slot, with interrupts off. */
void kprobe_free_site(struct kprobe_site *site)
{
	struct kprobe_site **link;

	if (site->arch.slot) {
		link = kprobe_slot_bucket(site->arch.slot);
		while (*link != site)
			link = &(*link)->next_slot;
		rcu_assign_pointer(*link, site->next_slot);
	}
	call_rcu(&site->rcu, release_site); /* readers of the bucket may be at the site */
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
		last = &site->all;
	rcu_assign_pointer(site->first, last);
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
	struct kprobe_site *site;
	int error;

	for (unsigned i = 0; i < KPROBE_BUCKETS; i++)
		kprobe_for_each_site(site, sites->sites[i])
		{
			error = update_site(site);
			if (error)
				return error;
		}
	return 0;
}

int kprobes_set_all(bool disarmed)
{
	int error;

	kprobes_all_disarmed = disarmed;
	error = update_table(&kprobe_table);
	if (!error)
		error = update_table(&kprobe_args_table);
	return error ? error : kretprobes_set_all();
}

static void visit_sites(const struct kprobe_site *sites, kprobe_visit_t fn, void *data)
{
	const struct kprobe_site *site;
	const struct kprobe *p;

	kprobe_for_each_site(site, sites)
		list_for_each_entry (p, &site->probes, list) if (!(p->flags & KPROBE_FLAG_RETURNS))
			fn(data, p, 'k', site->ftrace, site->jump);
}

void kprobes_for_each(kprobe_visit_t fn, void *data)
{
	for (unsigned i = 0; i < KPROBE_BUCKETS; i++) {
		visit_sites(kprobe_table.sites[i], fn, data);
		visit_sites(kprobe_args_table.sites[i], fn, data);
	}
	visit_sites(gone_sites, fn, data);
	kretprobes_for_each(fn, data);
}

/* ---- the interface ---- */

struct kprobe_site *kprobe_remove(struct kprobe *p)
{
	struct kprobe_site *site = p->site;

	p->site = NULL;
	list_del_rcu(&p->list);
	update_site(site);
	if (!list_empty(&site->probes))
		return NULL;
	unlink_site(site);
	if (!site->ftrace)
		kprobe_optimize_around(site->addr);
	return site;
}

int kprobe_add(struct kprobe *p, unsigned long addr)
{
	struct kprobe_table *table =
		p->args_only && ftrace_location(addr) ? &kprobe_args_table : &kprobe_table;
	struct kprobe_site *site = kprobe_find_site(table, addr);
	int error;

	if (!site) {
		kprobe_unoptimize_around(addr);
		site = make_site(table, addr);
	}
	if (IS_ERR(site))
		return (int)PTR_ERR(site);
	atomic64_set(&p->nmissed, 0);
	p->flags &= KPROBE_FLAG_DISABLED | KPROBE_FLAG_RETURNS;
	p->site = site;
	/* The newest runs first, as on Linux: bpftrace attaches in reverse, and relies on that. */
	list_add_rcu(&p->list, &site->probes);
	error = update_site(site);
	if (error) {
		site = kprobe_remove(p);
		synchronize_rcu();
		if (site)
			kprobe_free_site(site);
		return error;
	}
	p->addr = addr;
	return 0;
}

int register_kprobe(struct kprobe *p)
{
	unsigned long addr;
	int error;

	mutex_lock(&kprobe_mutex);
	error = p->site ? -EINVAL : kprobe_address(p, &addr);
	if (!error)
		error = kprobe_add(p, addr);
	mutex_unlock(&kprobe_mutex);
	return error;
}
EXPORT_SYMBOL_GPL(register_kprobe);

int register_kprobes(struct kprobe **ps, int num)
{
	int error = num > 0 ? 0 : -EINVAL;

	for (int i = 0; i < num && !error; i++) {
		error = register_kprobe(ps[i]);
		if (error)
			unregister_kprobes(ps, i);
	}
	return error;
}
EXPORT_SYMBOL_GPL(register_kprobes);

void unregister_kprobes(struct kprobe **ps, int num)
{
	struct kprobe_site *dead = NULL, *site;

	mutex_lock(&kprobe_mutex);
	for (int i = 0; i < num; i++) {
		if (!ps[i]->site)
			continue;
		site = kprobe_remove(ps[i]);
		if (site) {
			site->next_dead = dead;
			dead = site;
		}
		if (ps[i]->symbol_name) /* it may be registered again */
			ps[i]->addr = 0;
	}
	synchronize_rcu(); /* handlers, and slots */
	while ((site = dead)) {
		dead = site->next_dead;
		kprobe_free_site(site);
	}
	mutex_unlock(&kprobe_mutex);
}
EXPORT_SYMBOL_GPL(unregister_kprobes);

void unregister_kprobe(struct kprobe *p)
{
	unregister_kprobes(&p, 1);
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
	for (unsigned i = 0; i < KPROBE_BUCKETS; i++) {
		struct kprobe_site *site = sites->sites[i], *next;

		for (; site != &kprobe_no_site; site = next) {
			next = site->next;
			if (kprobe_in_module(site->addr, module, only_init))
				site_gone(site);
		}
	}
}

static void module_gone(const struct module *module, bool only_init)
{
	mutex_lock(&kprobe_mutex);
	table_gone(&kprobe_table, module, only_init);
	table_gone(&kprobe_args_table, module, only_init);
	kretprobes_module_gone(module, only_init);
	mutex_unlock(&kprobe_mutex);
}

/*
 * Before this, a module has symbols, but ftrace does not know its call sites. A probe there would
 * put an int3 into a site that ftrace is about to patch.
 */
static int module_coming(struct module *module)
{
	WRITE_ONCE(module->may_be_probed, true);
	return 0;
}

static void module_live(struct module *module)
{
	module_gone(module, true);
}

static void module_going(struct module *module)
{
	module_gone(module, false);
}

MODULE_NOTIFIER(MODULE_CHAIN_KPROBES) = { .coming = module_coming,
					  .live = module_live,
					  .going = module_going };

static const struct arch_kprobe_handlers handlers = { .int3 = kprobe_int3,
						      .fault = kprobe_fault,
						      .detour = kprobe_detour_hit };

static int __init kprobes_init(void)
{
	arch_kprobe_set_handlers(&handlers);
	return 0;
}
/* After those of ftrace and jump labels: told of coming modules later, and of going ones first. */
core_initcall(kprobes_init);
