/*
 * Return probes, on the shadow stacks of fgraph. All return probes are two users of fgraph, whose
 * filters name their functions: one user for probes that need only arguments and results, and one
 * for probes that need all registers.
 *
 * Each probe has a pool with maxactive instances. At the entry of a call each probe of the function
 * takes an instance from its pool; the instances of a call are a list, to which the data of the
 * call on the shadow stack points. At the return each instance goes back to its pool.
 *
 * The free instances of a pool are a list without a lock: a word with the first instance and a
 * count of the instances that came back. An interrupt may use the list at any instruction. The
 * count makes a pop fail if, since it read the first instance, that instance left and came back.
 *
 * A pool outlives its probe, because calls that have not returned own instances of it. Such a dead
 * pool is freed when its last instance has come back. When no return probe is enabled, fgraph calls
 * nothing of this file any more, and so all instances are free at once.
 */
#include "kernel/cpumask.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/rcu/rculist.h"
#include "trace/fgraph/inline.h"
#include "trace/kprobes/internal.h"

#define BUCKETS 64U

/* The return probes of a function. */
struct kretprobe_site {
	struct kretprobe_site *next; /* [kprobe_mutex] in a bucket; RCU */
	unsigned long addr;          /* [C] */
	struct list_head probes;     /* [kprobe_mutex] of struct kretprobe; RCU */
	/* [kprobe_mutex] The only one that is enabled, if it has no entry_handler; or NULL. RCU */
	struct kretprobe *only;
	bool armed; /* [kprobe_mutex] */
	bool gone;  /* [kprobe_mutex] in no table: its module has gone */
};

/* A user of fgraph, and the sites of its probes. */
struct kretprobe_table {
	struct kretprobe_site *sites[BUCKETS]; /* [kprobe_mutex] to write; by address; RCU */
	unsigned armed_sites;                  /* [kprobe_mutex] */
	struct fgraph_ops graph;
};

static struct kretprobe_pool *dead_pools; /* [kprobe_mutex] */
static struct kretprobe_site *gone_sites; /* [kprobe_mutex] */

static __always_inline struct kretprobe_table *table_of(struct fgraph_ops *gops)
{
	return container_of(gops, struct kretprobe_table, graph);
}

static __always_inline struct kretprobe_site **bucket_of(struct kretprobe_table *table,
							 unsigned long addr)
{
	return &table->sites[(addr ^ addr >> 7) % BUCKETS];
}

static __always_inline struct kretprobe_site *find_site(struct kretprobe_table *table,
							unsigned long addr)
{
	struct kretprobe_site *site = rcu_dereference(*bucket_of(table, addr));

	while (site && site->addr != addr)
		site = rcu_dereference(site->next);
	return site;
}

/* ---- instances ---- */

static __always_inline struct kretprobe_instance *instance_at(struct kretprobe_pool *pool,
							      u32 index)
{
	return (void *)((char *)pool->instances + (size_t)index * pool->instance_size);
}

static __always_inline struct kretprobe_instance *take_instance(struct kretprobe_pool *pool)
{
	u64 old = READ_ONCE(pool->free), new;
	struct kretprobe_instance *ri;

	do {
		if (unlikely(!(u32)old))
			return NULL;
		ri = instance_at(pool, (u32)old - 1);
		new = old - (u32)old + READ_ONCE(ri->next_free);
	} while (!__atomic_compare_exchange_n(&pool->free, &old, new, false, __ATOMIC_ACQUIRE,
					      __ATOMIC_RELAXED));
	return ri;
}

/* The pool may be freed as soon as its last instance is back. */
static __always_inline void return_instance(struct kretprobe_instance *ri)
{
	struct kretprobe_pool *pool = ri->pool;
	u64 old = READ_ONCE(pool->free), new;

	do {
		WRITE_ONCE(ri->next_free, (u32)old);
		new = (old | UINT32_MAX) + 1 + ri->number; /* no carry: the low half is 0 */
	} while (!__atomic_compare_exchange_n(&pool->free, &old, new, false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
}

/* Makes all instances free. No call has one. */
static void fill_pool(struct kretprobe_pool *pool)
{
	pool->free = 0;
	for (u32 i = 0; i < pool->count; i++) {
		struct kretprobe_instance *ri = instance_at(pool, i);

		ri->pool = pool;
		ri->number = i + 1;
		return_instance(ri);
	}
}

static struct kretprobe_pool *make_pool(struct kretprobe *rp)
{
	u32 size = (u32)ALIGN(sizeof(struct kretprobe_instance) + rp->data_size, 8);
	u32 count = rp->maxactive > 0 ? (u32)rp->maxactive : max(10U, 2 * nr_cpu_ids);
	struct kretprobe_pool *pool = kvzalloc(sizeof(*pool) + (size_t)count * size, GFP_KERNEL);

	if (!pool)
		return NULL;
	pool->rp = rp;
	pool->count = count;
	pool->instance_size = size;
	fill_pool(pool);
	return pool;
}

/* Whether all instances are in the free list, to which others may be adding. */
static bool is_unused(struct kretprobe_pool *pool)
{
	u32 at = (u32)__atomic_load_n(&pool->free, __ATOMIC_ACQUIRE), count = 0;

	for (; at; at = READ_ONCE(instance_at(pool, at - 1)->next_free))
		count++;
	return count == pool->count;
}

/* Frees the dead pools without a call that has not returned. */
static void free_dead_pools(void)
{
	struct kretprobe_pool **link = &dead_pools, *pool;

	while ((pool = *link)) {
		if (!is_unused(pool)) {
			link = &pool->next_dead;
			continue;
		}
		*link = pool->next_dead;
		kvfree(pool);
	}
}

/* ---- hits: preemption is off, any context ---- */

static void count_missed(struct kretprobe_site *site)
{
	struct kretprobe *rp;

	list_for_each_entry_rcu(rp, &site->probes, list)
	{
		if (!kprobe_disabled(&rp->kp))
			atomic64_inc(&rp->kp.nmissed);
	}
}

/* Adds an instance to the list of the call, unless the probe does not want its return. */
static __always_inline void enter_call(struct kretprobe *rp, struct pt_regs *regs,
				       unsigned long ret_addr, struct kretprobe_instance **list)
{
	struct kretprobe_instance *ri = take_instance(rp->pool);

	if (unlikely(!ri)) {
		atomic64_inc(&rp->nmissed);
		return;
	}
	ri->ret_addr = ret_addr;
	if (rp->entry_handler && rp->entry_handler(ri, regs)) {
		return_instance(ri);
		return;
	}
	ri->next = *list;
	*list = ri;
}

__calls_callbacks static noinline int enter_site(struct kretprobe_site *site,
						 struct ftrace_graph_ent *trace,
						 struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = &fregs->regs;
	unsigned long ret_addr, continues = regs->ip;
	struct kretprobe_instance **list;
	struct kretprobe *rp;

	if (this_cpu_read(kprobe_active)) {
		count_missed(site);
		return 0;
	}
	list = fgraph_call_reserve(trace, gops, sizeof(struct kretprobe_instance *));
	if (unlikely(!list)) {
		gops->lostfunc(gops, trace->func, NULL);
		return 0;
	}
	*list = NULL;
	ret_addr = ((struct fgraph_stack *)current_stable->trace)->top->ret;
	regs->sp = (unsigned long)ftrace_regs_return_slot(fregs);
	regs->ip = trace->func + 1;
	this_cpu_write(kprobe_active, 1);
	list_for_each_entry_rcu(rp, &site->probes, list)
	{
		if (!kprobe_disabled(&rp->kp))
			enter_call(rp, regs, ret_addr, list);
	}
	this_cpu_write(kprobe_active, 0);
	regs->ip = continues;
	return *list != NULL;
}

/* Without handlers to call, kprobe_active stays as it is. */
__calls_callbacks static __always_inline int
kretprobe_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	struct kretprobe_site *site = find_site(table_of(gops), trace->func);
	struct kretprobe_instance *ri, **list;
	struct kretprobe *only;

	if (unlikely(!site))
		return 0;
	only = rcu_dereference(site->only);
	if (unlikely(!only || !trace->frame || this_cpu_read(kprobe_active)))
		return enter_site(site, trace, gops, fregs);
	ri = take_instance(only->pool);
	if (unlikely(!ri)) {
		atomic64_inc(&only->nmissed);
		return 0;
	}
	ri->ret_addr = trace->frame->ret;
	ri->next = NULL;
	list = fgraph_call_reserve(trace, gops, sizeof(ri));
	*list = ri;
	return 1;
}

__calls_callbacks static __always_inline void
kretprobe_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	struct kretprobe_instance **list = fgraph_call_data(trace, gops), *ri = *list, *next;
	struct pt_regs *regs = &fregs->regs;

	this_cpu_write(kprobe_active, 1);
	regs->ip = ri->ret_addr;
	regs->sp = (unsigned long)(fgraph_return_slot(fregs) + 1);
	for (; ri; ri = next) {
		struct kretprobe *rp = get_kretprobe(ri);

		next = ri->next;
		if (likely(rp && rp->handler && !kprobe_disabled(&rp->kp)))
			rp->handler(ri, regs);
		return_instance(ri);
	}
	this_cpu_write(kprobe_active, 0);
}

/* No memory for the call, or its task has ended in it. */
static void kretprobe_lost(struct fgraph_ops *gops, unsigned long func, void *data)
{
	struct kretprobe_site *site = find_site(table_of(gops), func);
	struct kretprobe *rp;

	if (data) {
		for (struct kretprobe_instance *ri = *(void **)data, *next; ri; ri = next) {
			next = ri->next;
			return_instance(ri);
		}
	} else if (site) {
		list_for_each_entry_rcu(rp, &site->probes, list) atomic64_inc(&rp->nmissed);
	}
}

__calls_callbacks static void kretprobe_entry_stub(unsigned long ip, unsigned long parent_ip,
						   struct ftrace_ops *op,
						   struct ftrace_regs *fregs);
__calls_callbacks static void kretprobe_return_stub(struct ftrace_regs *fregs);
DEFINE_FGRAPH_STUBS(kretprobe, kretprobe_entry, kretprobe_return)
static struct kretprobe_table table_of_args = { .graph = { .entryfunc = kretprobe_entry,
							   .retfunc = kretprobe_return,
							   .lostfunc = kretprobe_lost,
							   FGRAPH_STUBS(kretprobe) } };
static struct kretprobe_table table_of_regs = { .graph = { .entryfunc = kretprobe_entry,
							   .retfunc = kretprobe_return,
							   .lostfunc = kretprobe_lost,
							   .ops.flags = FTRACE_OPS_FL_SAVE_REGS,
							   FGRAPH_STUBS(kretprobe) } };

static struct kretprobe_table *table_for(const struct kretprobe *rp)
{
	return rp->args_only ? &table_of_args : &table_of_regs;
}

/* ---- sites. kprobe_mutex held, as below. ---- */

static int arm(struct kretprobe_table *table, struct kretprobe_site *site)
{
	int error = ftrace_set_filter_ip(&table->graph.ops, site->addr, false, false);

	if (error)
		return error;
	if (!table->armed_sites) {
		error = register_ftrace_graph(&table->graph);
		if (error) {
			ftrace_set_filter_ip(&table->graph.ops, site->addr, true, false);
			return error;
		}
	}
	table->armed_sites++;
	return 0;
}

/* fgraph has forgotten all calls of the table's user. */
static void take_all_instances(struct kretprobe_table *table)
{
	const struct kretprobe *rp;

	for (unsigned i = 0; i < BUCKETS; i++)
		for (const struct kretprobe_site *site = table->sites[i]; site; site = site->next)
			list_for_each_entry (rp, &site->probes, list)
				fill_pool(rp->pool);
	for (struct kretprobe_pool *pool = dead_pools; pool; pool = pool->next_dead)
		if (pool->table == table)
			fill_pool(pool);
}

static void disarm(struct kretprobe_table *table, struct kretprobe_site *site)
{
	if (!--table->armed_sites) { /* an empty filter is all functions */
		unregister_ftrace_graph(&table->graph);
		take_all_instances(table);
	}
	ftrace_set_filter_ip(&table->graph.ops, site->addr, true, false);
}

/* Arms the site if a probe is enabled, and disarms it if none is. */
static int update_site(struct kretprobe_table *table, struct kretprobe_site *site)
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
	rcu_assign_pointer(site->only, enabled == 1 && !last->entry_handler ? last : NULL);
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

static struct kretprobe_site *get_site(struct kretprobe_table *table, unsigned long addr)
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

static void unlink_site(struct kretprobe_table *table, struct kretprobe_site *site)
{
	struct kretprobe_site **link = site->gone ? &gone_sites : bucket_of(table, site->addr);

	while (*link != site)
		link = &(*link)->next;
	rcu_assign_pointer(*link, site->next);
}

/* Frees a site without probes. */
static void put_site(struct kretprobe_table *table, struct kretprobe_site *site)
{
	if (!list_empty(&site->probes))
		return;
	unlink_site(table, site);
	synchronize_rcu();
	kfree(site);
}

/* ---- the interface ---- */

/* Takes a probe out of its site, and waits for its handlers. */
static void remove_probe(struct kretprobe *rp)
{
	struct kretprobe_table *table = rp->pool->table;

	list_del_rcu(&rp->list);
	WRITE_ONCE(rp->pool->rp, NULL);
	rp->pool->next_dead = dead_pools;
	dead_pools = rp->pool;
	update_site(table, rp->site);
	synchronize_rcu();
	put_site(table, rp->site);
	rp->pool = NULL;
	free_dead_pools();
}

static int add_probe(struct kretprobe *rp, unsigned long addr)
{
	struct kretprobe_table *table = table_for(rp);
	int error;

	rp->pool = make_pool(rp);
	rp->site = rp->pool ? get_site(table, addr) : NULL;
	if (!rp->site) {
		kvfree(rp->pool);
		rp->pool = NULL;
		return -ENOMEM;
	}
	rp->pool->table = table;
	atomic64_set(&rp->nmissed, 0);
	atomic64_set(&rp->kp.nmissed, 0);
	rp->kp.flags &= KPROBE_FLAG_DISABLED;
	list_add_tail_rcu(&rp->list, &rp->site->probes);
	error = update_site(table, rp->site);
	if (error)
		remove_probe(rp);
	else
		rp->kp.addr = addr;
	return error;
}

int register_kretprobe(struct kretprobe *rp)
{
	unsigned long addr;
	int error;

	if (rp->data_size > KRETPROBE_MAX_DATA_SIZE)
		return -E2BIG;
	mutex_lock(&kprobe_mutex);
	error = rp->pool ? -EINVAL : kprobe_address(&rp->kp, &addr);
	if (!error && !ftrace_location(addr))
		error = -EINVAL;
	if (!error)
		error = add_probe(rp, addr);
	mutex_unlock(&kprobe_mutex);
	return error;
}
EXPORT_SYMBOL_GPL(register_kretprobe);

void unregister_kretprobe(struct kretprobe *rp)
{
	mutex_lock(&kprobe_mutex);
	if (rp->pool) {
		remove_probe(rp);
		if (rp->kp.symbol_name) /* it may be registered again */
			rp->kp.addr = 0;
	}
	mutex_unlock(&kprobe_mutex);
}
EXPORT_SYMBOL_GPL(unregister_kretprobe);

static int set_disabled(struct kretprobe *rp, bool disabled)
{
	u32 old = rp->kp.flags;
	int error = -EINVAL;

	mutex_lock(&kprobe_mutex);
	if (rp->pool && !(old & KPROBE_FLAG_GONE)) {
		WRITE_ONCE(rp->kp.flags, disabled ? old | KPROBE_FLAG_DISABLED
						  : old & ~(u32)KPROBE_FLAG_DISABLED);
		error = update_site(rp->pool->table, rp->site);
		if (error)
			WRITE_ONCE(rp->kp.flags, old);
		else if (disabled)
			synchronize_rcu(); /* for its handlers */
	}
	mutex_unlock(&kprobe_mutex);
	return error;
}

int enable_kretprobe(struct kretprobe *rp)
{
	return set_disabled(rp, false);
}
EXPORT_SYMBOL_GPL(enable_kretprobe);

int disable_kretprobe(struct kretprobe *rp)
{
	return set_disabled(rp, true);
}
EXPORT_SYMBOL_GPL(disable_kretprobe);

/* ---- all probes, modules, oops: internal.h ---- */

static struct kretprobe_table *const tables[] = { &table_of_args, &table_of_regs };

int kretprobes_set_all(void)
{
	int error = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(tables) * BUCKETS; i++) {
		struct kretprobe_table *table = tables[i / BUCKETS];
		struct kretprobe_site *site = table->sites[i % BUCKETS];

		for (; site && !error; site = site->next)
			error = update_site(table, site);
	}
	return error;
}

static void visit_sites(const struct kretprobe_site *site, kprobe_visit_t fn, void *data)
{
	const struct kretprobe *rp;

	for (; site; site = site->next)
		list_for_each_entry (rp, &site->probes, list)
			fn(data, &rp->kp, 'r', true);
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
	update_site(table, site);
	unlink_site(table, site);
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
