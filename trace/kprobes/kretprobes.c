/*
 * Return probes, on the shadow stacks of fgraph. Nearly all of them are two users of fgraph, whose
 * filters name their functions: one user for probes that need only arguments and results, and one
 * for probes that need all registers.
 *
 * A function whose only probe wants nothing but each return has the quick way: the data of a call
 * on the shadow stack names the probe, and the return looks whether it is still there. Else
 * each probe has a pool with maxactive instances. At the entry of a call each probe of the function
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
#include "trace/kprobes/kretprobe_pool.h"
#include "trace/kprobes/kretprobe_sites.h"

static struct kretprobe_table *table_for(const struct kretprobe *rp, unsigned long addr)
{
	if (!ftrace_location(addr))
		return &kretprobe_table_entries;
	return rp->args_only ? &kretprobe_table_args : &kretprobe_table_regs;
}

static void free_site(struct rcu_head *head)
{
	kfree(container_of(head, struct kretprobe_site, rcu));
}

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
	kretprobe_update_site(table, site);
	rp->site = NULL;
	if (!list_empty(&site->probes))
		return;
	kretprobe_unlink_site(table, site);
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
	rp->site = rp->pool ? kretprobe_get_site(table, addr) : NULL;
	if (!rp->site) {
		kvfree(rp->pool);
		rp->pool = NULL;
		return -ENOMEM;
	}
	rp->pool->table = table;
	atomic64_set(&rp->nmissed, 0);
	atomic64_set(&rp->kp.nmissed, 0);
	rp->kp.flags &= KPROBE_FLAG_DISABLED;
	/* The newest is entered first, so the oldest returns first, as on Linux. */
	list_add_rcu(&rp->list, &rp->site->probes);
	error = kretprobe_update_site(table, rp->site);
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
		error = kretprobe_update_site(rp->pool->table, rp->site);
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
