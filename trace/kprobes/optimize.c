/*
 * Optimized kprobes: a jump to a detour (arch/probes/kprobe_detour.h) in place of the int3, because
 * an exception costs more than the handlers. A site gets there in two steps, and back in one:
 *
 *	int3		a hit traps, and the instruction is executed in a slot
 *	int3, detour	a hit traps, and execution continues in the detour, behind the bytes that
 *			the jump will cover
 *	jump		a hit jumps to the detour
 *
 * Between the second and the third state is a grace period of RCU-tasks. A task may have been
 * preempted at one of the instructions that the jump will cover. In the second state no task and no
 * CPU gets there any more; after the grace period none is there. Only then are the bytes written.
 * The way back needs no grace period: all bytes are instructions again. But a detour is freed after
 * one, because a task may be in it.
 *
 * The first step is not taken at once: probes often come and go together. A kworker, the optimizer,
 * takes it 20 ms later, for all sites that wait. It holds no lock during the grace period.
 */
#include "fs/proc/proc_fs.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/sort.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rculist.h"
#include "kernel/workqueue/workqueue.h"
#include "trace/kprobes/internal.h"

#define OPTIMIZE_DELAY (20 * NSEC_PER_MSEC)
#define ROUND_SITES    64U /* that one round of the optimizer takes */

static int optimization = 1; /* [kprobe_mutex] /proc/sys/debug/kprobes-optimization */
static struct delayed_work optimizer;
static LIST_HEAD(detours); /* [detours_lock] to write; RCU */
static DEFINE_SPINLOCK(detours_lock);

bool kprobe_optimized(const struct kprobe *p)
{
	return p->site && READ_ONCE(p->site->jump);
}

/* ---- detours ---- */

static void free_detour(struct rcu_head *head)
{
	struct kprobe_detour *detour = container_of(head, struct kprobe_detour, rcu);

	arch_detour_release(&detour->arch);
	kfree(detour);
}

/* No task is in the detour. kprobe_detour_fault() of another one may still look at it. */
static void unlink_detour(struct rcu_head *head)
{
	struct kprobe_detour *detour = container_of(head, struct kprobe_detour, rcu);

	spin_lock(&detours_lock);
	list_del_rcu(&detour->list);
	spin_unlock(&detours_lock);
	call_rcu(&detour->rcu, free_detour);
}

static struct kprobe_detour *make_detour(struct kprobe_site *site)
{
	u8 bytes[DETOUR_MAX_LENGTH], length = kprobe_jump_length(site->addr, bytes);
	struct kprobe_detour *detour = length ? kzalloc(sizeof(*detour), GFP_KERNEL) : NULL;

	if (!detour)
		return NULL;
	if (arch_detour_prepare(&detour->arch, site->addr, bytes, length, detour)) {
		kfree(detour);
		return NULL;
	}
	spin_lock(&detours_lock);
	list_add_tail_rcu(&detour->list, &detours);
	spin_unlock(&detours_lock);
	return detour;
}

__kprobes /* a probe's fault comes here: it would be counted twice */
void kprobe_detour_fault(struct pt_regs *regs)
{
	const struct kprobe_detour *detour;
	unsigned long original;

	list_for_each_entry_rcu (detour, &detours, list)
		if (arch_detour_find(&detour->arch, regs->ip, &original)) {
			regs->ip = original;
			return;
		}
}

/* ---- the states of a site ---- */

static bool can_be_optimized(const struct kprobe_site *site)
{
	return optimization && site->armed && site->only_pre && !site->ftrace && !site->detour;
}

void kprobe_optimize(struct kprobe_site *site)
{
	if (site->queued || !can_be_optimized(site))
		return;
	site->queued = true;
	schedule_delayed_work(&optimizer, OPTIMIZE_DELAY);
}

void kprobe_unoptimize(struct kprobe_site *site)
{
	struct kprobe_detour *detour = site->detour;
	struct text_patch patch;
	size_t bad;

	if (!detour)
		return;
	if (site->jump) {
		arch_detour_patch(&patch, &detour->arch, false);
		WARN_ON(text_patch_apply(&patch, 1, &bad));
		WRITE_ONCE(site->jump, false);
	}
	rcu_assign_pointer(site->detour, NULL);
	call_rcu_tasks(&detour->rcu, unlink_detour);
}

void kprobe_optimize_around(unsigned long addr)
{
	for (unsigned i = 1; i < DETOUR_MAX_LENGTH; i++) {
		struct kprobe_site *site = kprobe_site_at(addr - i);

		if (site)
			kprobe_optimize(site);
	}
}

void kprobe_unoptimize_around(unsigned long addr)
{
	for (unsigned i = 1; i < DETOUR_MAX_LENGTH; i++) {
		struct kprobe_site *site = kprobe_site_at(addr - i);

		if (site && site->detour && i < site->detour->arch.length)
			kprobe_unoptimize(site);
	}
}

bool kprobe_original_byte(unsigned long addr, u8 *byte)
{
	for (unsigned i = 0; i < DETOUR_JUMP_SIZE; i++) {
		const struct kprobe_site *site = kprobe_site_at(addr - i);

		if (!site || (i && !site->jump))
			continue;
		*byte = i ? site->detour->arch.original[i] : site->arch.opcode;
		return true;
	}
	return false;
}

/* ---- the optimizer ---- */

struct round {
	u32 number;
	unsigned nr_detours, nr_sites;
	bool more; /* sites wait for the next round */
};
static u32 rounds;                                   /* [kprobe_mutex] */
static bool round_runs;                              /* [kprobe_mutex] */
static struct text_patch patches[ROUND_SITES];       /* [kprobe_mutex] of the sites */
static struct kprobe_site *round_sites[ROUND_SITES]; /* [kprobe_mutex] */

/* The first step. */
static void add_detour(void *data, struct kprobe_site *site)
{
	struct kprobe_detour *detour;
	struct round *round = data;

	if (!site->queued)
		return;
	if (round->nr_detours == ROUND_SITES) {
		round->more = true;
		return;
	}
	site->queued = false;
	detour = can_be_optimized(site) ? make_detour(site) : NULL;
	if (!detour)
		return;
	site->round = round->number;
	rcu_assign_pointer(site->detour, detour);
	round->nr_detours++;
}

/* The second step. A site that was unoptimized since the first step has no detour of this round. */
static void add_patch(void *data, struct kprobe_site *site)
{
	struct round *round = data;

	if (!site->detour || site->jump || site->round != round->number)
		return;
	arch_detour_patch(&patches[round->nr_sites], &site->detour->arch, true);
	round_sites[round->nr_sites++] = site;
}

static int compare_patches(const void *a, const void *b)
{
	const struct text_patch *patch_a = a, *patch_b = b;

	return patch_a->addr < patch_b->addr ? -1 : patch_a->addr > patch_b->addr;
}

static void optimize_sites(struct work_struct *work __unused)
{
	struct round round = {};
	size_t bad;

	mutex_lock(&kprobe_mutex);
	round.number = ++rounds;
	kprobe_sites_for_each(add_detour, &round);
	round_runs = round.nr_detours;
	mutex_unlock(&kprobe_mutex);
	if (!round.nr_detours)
		return;
	synchronize_rcu_tasks();
	mutex_lock(&kprobe_mutex);
	kprobe_sites_for_each(add_patch, &round);
	sort(patches, round.nr_sites, sizeof(patches[0]), compare_patches);
	if (!WARN_ON(text_patch_apply(patches, round.nr_sites, &bad)))
		for (unsigned i = 0; i < round.nr_sites; i++)
			WRITE_ONCE(round_sites[i]->jump, true);
	if (round.more)
		schedule_delayed_work(&optimizer, OPTIMIZE_DELAY);
	round_runs = false;
	mutex_unlock(&kprobe_mutex);
}

static void find_queued(void *busy, struct kprobe_site *site)
{
	*(bool *)busy |= site->queued;
}

static bool is_busy(void)
{
	bool busy;

	mutex_lock(&kprobe_mutex);
	busy = round_runs;
	kprobe_sites_for_each(find_queued, &busy);
	mutex_unlock(&kprobe_mutex);
	return busy;
}

void wait_for_kprobe_optimizer(void)
{
	while (is_busy()) {
		mod_delayed_work(&optimizer, 0);
		flush_work(&optimizer.work);
	}
}

/* ---- the switch ---- */

static void follow_switch(void *data __unused, struct kprobe_site *site)
{
	if (optimization)
		kprobe_optimize(site);
	else
		kprobe_unoptimize(site);
}

static void set_optimization(int value)
{
	mutex_lock(&kprobe_mutex);
	if (value == optimization)
		goto unlock;
	optimization = value;
	kprobe_sites_for_each(follow_switch, NULL);
	pr_info("kprobes: kprobe jump-optimization is %s\n",
		value ? "enabled. All kprobes are optimized if possible."
		      : "disabled. All kprobes are based on software breakpoint.");
unlock:
	mutex_unlock(&kprobe_mutex);
}

static int optimization_handler(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	struct ctl_table copy = *table;
	int value = READ_ONCE(optimization), error;

	copy.data = &value;
	error = proc_dointvec(&copy, write, buf, size);
	if (error || !write)
		return error;
	if (value < 0 || value > 1)
		return -EINVAL;
	set_optimization(value);
	return 0;
}

SYSCTL(kprobes_optimization, "debug", "kprobes-optimization", 0644, optimization_handler,
       .maxlen = sizeof(int));

static int __init kprobes_optimizer_init(void)
{
	INIT_DELAYED_WORK(&optimizer, optimize_sites);
	return 0;
}
early_initcall(kprobes_optimizer_init);
