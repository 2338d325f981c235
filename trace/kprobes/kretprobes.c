/*
 * Return probes, on the shadow stacks of fgraph. Nearly all of them are two users of fgraph, whose
 * filters name their functions: one user for probes that need only arguments and results, and one
 * for probes that need all registers.
 *
 * Each probe has a pool with maxactive instances. At the entry of a call each probe of the function
 * takes an instance from its pool; the instances of a call are a list, to which the data of the
 * call on the shadow stack points. At the return each instance goes back to its pool.
 *
 * A function without a call site has a kprobe at its first instruction, which makes the frame as
 * ftrace would. A third user of fgraph, without call sites, serves these functions.
 */
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/rcu/rculist.h"
#include "trace/fgraph/inline.h"
#include "trace/kprobes/internal.h"
#include "trace/kprobes/kretprobe_pool.h"

#define BUCKETS 64U

/* The return probes of a function. */
struct kretprobe_site {
	struct kretprobe_site *next; /* [kprobe_mutex] in a bucket; RCU */
	unsigned long addr;          /* [C] */
	struct list_head probes;     /* [kprobe_mutex] of struct kretprobe; RCU */
	/* [kprobe_mutex] The only one that is enabled, if it has no entry_handler; or NULL. RCU */
	struct kretprobe *only;
	struct kprobe entry; /* [kprobe_mutex] armed, in a function without a call site */
	bool armed;          /* [kprobe_mutex] */
	bool gone;           /* [kprobe_mutex] in no table: its module has gone */
	/* [kprobe_mutex] of a site that has left the tables */
	union {
		struct kretprobe_site *next_dead;
		struct rcu_head rcu;
	};
};

/* A user of fgraph, and the sites of its probes. */
struct kretprobe_table {
	struct kretprobe_site *sites[BUCKETS]; /* [kprobe_mutex] to write; by address; RCU */
	unsigned armed_sites;                  /* [kprobe_mutex] */
	struct fgraph_ops graph;
};

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

/* ---- hits: preemption is off, any context ---- */

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
	struct pt_regs *regs = &fregs->regs;
	unsigned long continues = regs->ip;
	int entered;

	if (this_cpu_read(kprobe_active)) {
		count_missed(site);
		return 0;
	}
	regs->sp = (unsigned long)ftrace_regs_return_slot(fregs);
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
	struct kretprobe_instance *ri, **list;
	struct kretprobe *only;

	if (unlikely(!site))
		return 0;
	only = rcu_dereference(site->only);
	if (unlikely(!only || !trace->frame || this_cpu_read(kprobe_active)))
		return enter_site(site, trace, gops, fregs);
	ri = kretprobe_take(only->pool);
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
		kretprobe_give_back(ri);
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
static struct kretprobe_table table_of_args = { .graph = { .entryfunc = kretprobe_entry,
							   .retfunc = kretprobe_return,
							   .lostfunc = kretprobe_lost,
							   FGRAPH_STUBS(kretprobe) } };
static struct kretprobe_table table_of_regs = { .graph = { .entryfunc = kretprobe_entry,
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

static struct kretprobe_table table_of_entries = { .graph = { .entryfunc = kprobe_entry,
							      .retfunc = kretprobe_return,
							      .lostfunc = kretprobe_lost,
							      .no_sites = true,
							      .ops.flags =
								      FTRACE_OPS_FL_SAVE_REGS } };

/* The return address is on top of the stack: no instruction of the function has been executed. */
__calls_callbacks static int entry_hit(struct kprobe *p, struct pt_regs *regs)
{
	fgraph_enter_call(p->addr, &table_of_entries.graph.ops,
			  container_of(regs, struct ftrace_regs, regs), (unsigned long *)regs->sp,
			  kprobe_entry);
	return 0;
}

__kprobes /* the breakpoint handler calls it */
void kretprobe_entry_missed(struct kprobe *p)
{
	count_missed(container_of(p, struct kretprobe_site, entry));
}

static struct kretprobe_table *table_for(const struct kretprobe *rp, unsigned long addr)
{
	if (!ftrace_location(addr))
		return &table_of_entries;
	return rp->args_only ? &table_of_args : &table_of_regs;
}

/* ---- sites. kprobe_mutex held, as below. ---- */

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
	site->entry = (struct kprobe){ .pre_handler = entry_hit, .flags = KPROBE_FLAG_RETURNS };
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

static void free_site(struct rcu_head *head)
{
	kfree(container_of(head, struct kretprobe_site, rcu));
}

/* ---- the interface ---- */

/*
 * Takes a probe out of its site, and the site out of its table if it was the last one. Until the
 * end of a grace period of RCU hits may still use the probe. Then forget_probe() is called.
 */
static void remove_probe(struct kretprobe *rp)
{
	struct kretprobe_table *table = rp->pool->table;
	struct kretprobe_site *site = rp->site;

	list_del_rcu(&rp->list);
	kretprobe_retire_pool(rp->pool);
	update_site(table, site);
	rp->site = NULL;
	if (!list_empty(&site->probes))
		return;
	unlink_site(table, site);
	call_rcu(&site->rcu, free_site);
}

/* It may be registered again. */
static void forget_probe(struct kretprobe *rp)
{
	rp->pool = NULL;
	if (rp->kp.symbol_name)
		rp->kp.addr = 0;
}

static int add_probe(struct kretprobe *rp, unsigned long addr)
{
	struct kretprobe_table *table = table_for(rp, addr);
	int error;

	rp->pool = kretprobe_make_pool(rp);
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
	if (error) {
		remove_probe(rp);
		synchronize_rcu();
		forget_probe(rp);
		kretprobe_free_dead_pools();
	} else {
		rp->kp.addr = addr;
	}
	return error;
}

/* Whether addr is where calls enter a function. Code that calls return handlers is refused. */
static bool is_entry(unsigned long addr)
{
	char name[KSYM_NAME_LEN];
	unsigned long offset;

	if (ftrace_location(addr))
		return true;
	return kallsyms_lookup(addr, NULL, &offset, name) && !offset && !strstr(name, ".cold") &&
	       !in_calls_callbacks_text(addr);
}

int register_kretprobe(struct kretprobe *rp)
{
	unsigned long addr;
	int error;

	if (rp->data_size > KRETPROBE_MAX_DATA_SIZE)
		return -E2BIG;
	mutex_lock(&kprobe_mutex);
	error = rp->pool ? -EINVAL : kprobe_address(&rp->kp, &addr);
	if (!error)
		error = is_entry(addr) ? add_probe(rp, addr) : -EINVAL;
	mutex_unlock(&kprobe_mutex);
	return error;
}
EXPORT_SYMBOL_GPL(register_kretprobe);

int register_kretprobes(struct kretprobe **rps, int num)
{
	int error = num > 0 ? 0 : -EINVAL;

	for (int i = 0; i < num && !error; i++) {
		error = register_kretprobe(rps[i]);
		if (error)
			unregister_kretprobes(rps, i);
	}
	return error;
}
EXPORT_SYMBOL_GPL(register_kretprobes);

void unregister_kretprobes(struct kretprobe **rps, int num)
{
	mutex_lock(&kprobe_mutex);
	for (int i = 0; i < num; i++)
		if (rps[i]->site)
			remove_probe(rps[i]);
	synchronize_rcu();
	for (int i = 0; i < num; i++)
		if (rps[i]->pool)
			forget_probe(rps[i]);
	kretprobe_free_dead_pools();
	mutex_unlock(&kprobe_mutex);
}
EXPORT_SYMBOL_GPL(unregister_kretprobes);

void unregister_kretprobe(struct kretprobe *rp)
{
	unregister_kretprobes(&rp, 1);
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

static struct kretprobe_table *const tables[] = { &table_of_args, &table_of_regs,
						  &table_of_entries };

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
