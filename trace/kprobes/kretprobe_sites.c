/*
 * Functions with return probes: armed while a probe of the function is enabled, and gone with their
 * module. kprobe_mutex held. kretprobes.c has the probes, and the idea.
 */
#include "kernel/mm/slab.h"
#include "kernel/rcu/rculist.h"
#include "trace/kprobes/kretprobe_pool.h"
#include "trace/kprobes/kretprobe_sites.h"

static struct kretprobe_site *gone_sites; /* [kprobe_mutex] */

/* The filter must not be empty while the user is registered: that would be all functions. */
static int arm_by_ftrace(struct kretprobe_table *table, struct kretprobe_site *site)
{
	int error = ftrace_set_filter_ip(&table->graph.ops, site->addr, false, false);

	if (error || table->armed_sites)
		return error;
	error = register_ftrace_graph(&table->graph);
	if (error)
		ftrace_set_filter_ip(&table->graph.ops, site->addr, true, false);
	return error;
}

/* The user must be registered before its first entry. */
static int arm_by_kprobe(struct kretprobe_table *table, struct kretprobe_site *site)
{
	int error = table->armed_sites ? 0 : register_ftrace_graph(&table->graph);

	if (error)
		return error;
	site->entry =
		(struct kprobe){ .pre_handler = kretprobe_entry_hit, .flags = KPROBE_FLAG_RETURNS };
	error = kprobe_add(&site->entry, site->addr);
	if (error && !table->armed_sites)
		unregister_ftrace_graph(&table->graph);
	return error;
}

static int arm(struct kretprobe_table *table, struct kretprobe_site *site)
{
	int error = table->graph.no_sites ? arm_by_kprobe(table, site) : arm_by_ftrace(table, site);

	table->armed_sites += !error;
	return error;
}

/* fgraph has forgotten all calls of the table's user. */
static void take_all_instances(struct kretprobe_table *table)
{
	const struct kretprobe *rp;

	for (unsigned i = 0; i < BUCKETS; i++)
		for (const struct kretprobe_site *site = table->sites[i]; site; site = site->next)
			list_for_each_entry (rp, &site->probes, list)
				kretprobe_fill_pool(rp->pool);
	kretprobe_fill_dead_pools(table);
}

static void disarm(struct kretprobe_table *table, struct kretprobe_site *site)
{
	struct kprobe_site *dead;

	if (table->graph.no_sites) {
		dead = kprobe_remove(&site->entry);
		synchronize_rcu(); /* entries that are on their way */
		if (dead)
			kprobe_free_site(dead);
	}
	if (!--table->armed_sites) {
		unregister_ftrace_graph(&table->graph);
		take_all_instances(table);
	}
	if (!table->graph.no_sites)
		ftrace_set_filter_ip(&table->graph.ops, site->addr, true, false);
}

/* Whether the calls of the probe need no instances. */
static bool is_plain(const struct kretprobe *rp)
{
	return rp->handler && !rp->entry_handler && !rp->data_size && rp->maxactive <= 0;
}

int kretprobe_update_site(struct kretprobe_table *table, struct kretprobe_site *site)
{
	struct kretprobe *rp, *last = NULL;
	unsigned enabled = 0;
	bool wanted;
	int error = 0;

	list_for_each_entry (rp, &site->probes, list) {
		if (kprobe_disabled(&rp->kp))
			continue;
		enabled++;
		last = rp;
	}
	if (enabled != 1 || !is_plain(last)) {
		WRITE_ONCE(site->token, 0);
	} else if (site->token != last->pool->token) {
		WRITE_ONCE(site->token, 0);
		smp_store_release(&site->only, last);
		smp_store_release(&site->token, last->pool->token);
	}
	wanted = enabled && !kprobes_all_disarmed;
	if (wanted == site->armed)
		return 0;
	if (wanted)
		error = arm(table, site);
	else
		disarm(table, site);
	if (!error)
		site->armed = wanted;
	return error;
}

struct kretprobe_site *kretprobe_get_site(struct kretprobe_table *table, unsigned long addr)
{
	struct kretprobe_site *site = find_site(table, addr);

	if (site)
		return site;
	site = kzalloc(sizeof(*site), GFP_KERNEL);
	if (!site)
		return NULL;
	site->addr = addr;
	INIT_LIST_HEAD(&site->probes);
	site->next = *bucket_of(table, addr);
	rcu_assign_pointer(*bucket_of(table, addr), site);
	return site;
}

void kretprobe_unlink_site(struct kretprobe_table *table, struct kretprobe_site *site)
{
	struct kretprobe_site **link = site->gone ? &gone_sites : bucket_of(table, site->addr);

	while (*link != site)
		link = &(*link)->next;
	rcu_assign_pointer(*link, site->next);
}

/* ---- all sites: internal.h ---- */

static struct kretprobe_table *const tables[] = { &kretprobe_table_args, &kretprobe_table_regs,
						  &kretprobe_table_entries };

int kretprobes_set_all(void)
{
	int error = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(tables) * BUCKETS; i++) {
		struct kretprobe_table *table = tables[i / BUCKETS];
		struct kretprobe_site *site = table->sites[i % BUCKETS];

		for (; site && !error; site = site->next)
			error = kretprobe_update_site(table, site);
	}
	return error;
}

static void visit_sites(const struct kretprobe_site *site, kprobe_visit_t fn, void *data)
{
	const struct kretprobe *rp;

	for (; site; site = site->next)
		list_for_each_entry (rp, &site->probes, list)
			fn(data, &rp->kp, 'r', ftrace_location(site->addr),
			   kprobe_optimized(&site->entry));
}

void kretprobes_for_each(kprobe_visit_t fn, void *data)
{
	for (unsigned i = 0; i < ARRAY_SIZE(tables) * BUCKETS; i++)
		visit_sites(tables[i / BUCKETS]->sites[i % BUCKETS], fn, data);
	visit_sites(gone_sites, fn, data);
}

static void site_gone(struct kretprobe_table *table, struct kretprobe_site *site)
{
	struct kretprobe *rp;

	list_for_each_entry (rp, &site->probes, list)
		WRITE_ONCE(rp->kp.flags, rp->kp.flags | KPROBE_FLAG_GONE);
	kretprobe_update_site(table, site);
	kretprobe_unlink_site(table, site);
	synchronize_rcu();
	site->gone = true;
	site->next = gone_sites;
	gone_sites = site;
}

void kretprobes_module_gone(const struct module *module, bool only_init)
{
	for (unsigned i = 0; i < ARRAY_SIZE(tables) * BUCKETS; i++) {
		struct kretprobe_table *table = tables[i / BUCKETS];
		struct kretprobe_site *site = table->sites[i % BUCKETS], *next;

		for (; site; site = next) {
			next = site->next;
			if (kprobe_in_module(site->addr, module, only_init))
				site_gone(table, site);
		}
	}
}
