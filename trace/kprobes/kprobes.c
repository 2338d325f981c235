/*
 * Kprobes. All probes of one address share a site. A site at the call site of a function is reached
 * by ftrace; any other by an int3 (arch/kprobes.h).
 *
 * A breakpoint of a site is found without a lock. The site enters the tables before its int3 is
 * written. It leaves them after the int3 is gone and all CPUs have answered an IPI: a CPU that has
 * trapped answers after its handler. So the handler finds each int3 that it sees.
 */
#include "trace/kprobes/kprobes.h"

#include "arch/kprobes.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/jump_label.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sections.h"
#include "trace/ftrace/ftrace.h"
#include "trace/kprobes/internal.h"

#define FTRACE_SITE_SIZE 5
#define BUCKETS          64U

struct kprobe_site {
	struct kprobe_site *next, *next_slot; /* [kprobe_mutex] in a bucket of each table; RCU */
	unsigned long addr;                   /* [C] */
	struct arch_kprobe arch;              /* [C] not at a call site of ftrace */
	struct list_head probes;              /* [kprobe_mutex] of struct kprobe; RCU */
	bool ftrace;                          /* [C] */
	bool armed;                           /* [kprobe_mutex] */
};

DEFINE_MUTEX(kprobe_mutex);
DEFINE_PER_CPU(unsigned, kprobe_active);
static struct kprobe_site *sites[BUCKETS];      /* [kprobe_mutex] to write; by address; RCU */
static struct kprobe_site *slot_sites[BUCKETS]; /* the same, by slot */
static unsigned ftrace_sites;                   /* [kprobe_mutex] armed */

static __always_inline struct kprobe_site **bucket_of(unsigned long addr)
{
	return &sites[(addr ^ addr >> 7) % BUCKETS];
}

static __always_inline struct kprobe_site **slot_bucket_of(unsigned long slot)
{
	return &slot_sites[slot / KPROBE_SLOT_SIZE % BUCKETS];
}

/* ---- hits ---- */

static __always_inline struct kprobe_site *find_site(unsigned long addr)
{
	struct kprobe_site *site = rcu_dereference(*bucket_of(addr));

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

	list_for_each_entry_rcu(p, &site->probes,
				list) if (!(READ_ONCE(p->flags) & KPROBE_FLAG_DISABLED))
		atomic64_inc(&p->nmissed);
}

/* Returns true if a handler has chosen where execution continues. */
__kprobes /* the breakpoint handler calls it */
	static bool
	call_pre_handlers(struct kprobe_site *site, struct pt_regs *regs)
{
	struct kprobe *p;

	list_for_each_entry_rcu(p, &site->probes,
				list) if (!(READ_ONCE(p->flags) & KPROBE_FLAG_DISABLED) &&
					  p->pre_handler && p->pre_handler(p, regs)) return true;
	return false;
}

__kprobes /* the breakpoint handler calls it */
	static void
	call_post_handlers(struct kprobe_site *site, struct pt_regs *regs)
{
	struct kprobe *p;

	list_for_each_entry_rcu(p, &site->probes,
				list) if (!(READ_ONCE(p->flags) & KPROBE_FLAG_DISABLED) &&
					  p->post_handler) p->post_handler(p, regs, 0);
}

/* The end of a slot. A hit that was missed has no post handler, and ends while it is missed. */
__kprobes /* the breakpoint handler calls it */
	static bool
	slot_hit(struct pt_regs *regs)
{
	struct kprobe_site *site = find_slot(regs->ip - 1);

	if (!site || !arch_kprobe_leave_slot(&site->arch, regs))
		return false;
	if (!this_cpu_read(kprobe_active)) {
		this_cpu_write(kprobe_active, 1);
		call_post_handlers(site, regs);
		this_cpu_write(kprobe_active, 0);
	}
	return true;
}

__kprobes /* the breakpoint handler calls it */
	static bool
	kprobe_int3(struct pt_regs *regs)
{
	struct kprobe_site *site = find_site(regs->ip - 1);

	if (!site)
		return slot_hit(regs);
	if (this_cpu_read(kprobe_active)) {
		count_missed(site);
		arch_kprobe_execute(&site->arch, regs);
		return true;
	}
	this_cpu_write(kprobe_active, 1);
	if (!call_pre_handlers(site, regs) && arch_kprobe_execute(&site->arch, regs))
		call_post_handlers(site, regs);
	this_cpu_write(kprobe_active, 0);
	return true;
}

__kprobes /* a probe's fault comes here: it would be counted twice */
	static void
	kprobe_fault(struct pt_regs *regs)
{
	struct kprobe_site *site = find_slot(regs->ip);

	if (site)
		arch_kprobe_leave_faulted(&site->arch, regs);
}

__kprobes /* it may be in the handler of another probe */
	static void
	kprobe_ftrace_handler(unsigned long ip, unsigned long parent_ip __unused,
			      struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	unsigned long continues = regs->ip;
	struct kprobe_site *site;

	preempt_disable();
	site = find_site(ip);
	if (!site)
		goto enable;
	if (this_cpu_read(kprobe_active)) {
		count_missed(site);
		goto enable;
	}
	this_cpu_write(kprobe_active, 1);
	regs->ip = ip + 1;
	call_pre_handlers(site, regs);
	regs->ip = ip + FTRACE_SITE_SIZE;
	call_post_handlers(site, regs);
	regs->ip = continues;
	this_cpu_write(kprobe_active, 0);
enable:
	preempt_enable();
}

static struct ftrace_ops kprobe_ftrace_ops = { .func = kprobe_ftrace_handler,
					       .flags = FTRACE_OPS_FL_SAVE_REGS };

/* ---- where a probe can be ---- */

static bool is_blacklisted(unsigned long addr)
{
	return (addr >= (unsigned long)__entry_text_start &&
		addr < (unsigned long)__entry_text_end) ||
	       (addr >= (unsigned long)__kprobes_text_start &&
		addr < (unsigned long)__kprobes_text_end);
}

/* Copies text without the int3 of probes. Returns the number of bytes. */
static size_t read_text(unsigned long addr, u8 bytes[MAX_INSN_SIZE])
{
	size_t size = min((size_t)MAX_INSN_SIZE, (size_t)((unsigned long)_etext - addr));

	memcpy(bytes, (const void *)addr, size);
	for (size_t i = 0; i < size; i++) {
		struct kprobe_site *site = find_site(addr + i);

		if (site && !site->ftrace)
			bytes[i] = site->arch.opcode;
	}
	return size;
}

/* The size of the instruction at addr; 0: none. Text patching may be writing to sites. */
static unsigned instruction_size(unsigned long addr)
{
	u8 bytes[MAX_INSN_SIZE];
	struct insn insn;

	if (ftrace_location(addr) || static_branch_at(addr))
		return FTRACE_SITE_SIZE;
	return insn_decode(&insn, bytes, read_text(addr, bytes)) ? 0 : insn.length;
}

/* Decodes the function from its start to addr. */
static bool is_boundary(unsigned long addr)
{
	char name[KSYM_NAME_LEN];
	unsigned long offset, at;

	if (!kallsyms_lookup(addr, NULL, &offset, name))
		return false;
	for (at = addr - offset; at < addr;) {
		unsigned size = instruction_size(at);

		if (!size)
			return false;
		at += size;
	}
	return at == addr;
}

static int find_address(const struct kprobe *p, unsigned long *addr)
{
	if (!p->symbol_name == !p->addr)
		return -EINVAL;
	*addr = p->addr;
	if (p->symbol_name) {
		*addr = kallsyms_lookup_name(p->symbol_name);
		if (!*addr)
			return -ENOENT;
	}
	*addr += p->offset;
	return 0;
}

static int check_address(unsigned long addr)
{
	if (addr < (unsigned long)_stext || addr >= (unsigned long)_etext || is_blacklisted(addr))
		return -EINVAL;
	if (!is_boundary(addr))
		return -EILSEQ;
	return static_branch_at(addr) ? -EINVAL : 0;
}

int kprobe_address(const struct kprobe *p, unsigned long *addr)
{
	int error = find_address(p, addr);

	return error ? error : check_address(*addr);
}

/* ---- sites ---- */

static struct kprobe_site *make_site(unsigned long addr)
{
	struct kprobe_site *site = kzalloc(sizeof(*site), GFP_KERNEL);
	u8 bytes[MAX_INSN_SIZE];
	int error = 0;

	if (!site)
		return ERR_PTR(-ENOMEM);
	site->addr = addr;
	INIT_LIST_HEAD(&site->probes);
	site->ftrace = ftrace_location(addr);
	if (!site->ftrace)
		error = arch_kprobe_prepare(&site->arch, addr, bytes, read_text(addr, bytes));
	if (error) {
		kfree(site);
		return ERR_PTR(error);
	}
	if (site->arch.slot) {
		site->next_slot = *slot_bucket_of(site->arch.slot);
		rcu_assign_pointer(*slot_bucket_of(site->arch.slot), site);
	}
	site->next = *bucket_of(addr);
	rcu_assign_pointer(*bucket_of(addr), site);
	return site;
}

/* The site is not armed. */
static void free_site(struct kprobe_site *site)
{
	struct kprobe_site **link = bucket_of(site->addr);

	while (*link != site)
		link = &(*link)->next;
	rcu_assign_pointer(*link, site->next);
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

static int arm_ftrace(struct kprobe_site *site)
{
	int error = ftrace_set_filter_ip(&kprobe_ftrace_ops, site->addr, false, false);

	if (error)
		return error;
	if (!ftrace_sites) {
		error = register_ftrace_function(&kprobe_ftrace_ops);
		if (error) {
			ftrace_set_filter_ip(&kprobe_ftrace_ops, site->addr, true, false);
			return error;
		}
	}
	ftrace_sites++;
	return 0;
}

static void disarm_ftrace(struct kprobe_site *site)
{
	if (!--ftrace_sites)
		unregister_ftrace_function(
			&kprobe_ftrace_ops); /* an empty filter is all functions */
	ftrace_set_filter_ip(&kprobe_ftrace_ops, site->addr, true, false);
}

static bool is_wanted(const struct kprobe_site *site)
{
	const struct kprobe *p;

	list_for_each_entry (p, &site->probes, list)
		if (!(p->flags & KPROBE_FLAG_DISABLED))
			return true;
	return false;
}

/* Arms the site if a probe is enabled, and disarms it if none is. */
static int update_site(struct kprobe_site *site)
{
	bool wanted = is_wanted(site);
	int error = 0;

	if (wanted == site->armed)
		return 0;
	if (site->ftrace && wanted)
		error = arm_ftrace(site);
	else if (site->ftrace)
		disarm_ftrace(site);
	else if (wanted)
		arch_kprobe_arm(&site->arch);
	else
		arch_kprobe_disarm(&site->arch);
	if (!error)
		site->armed = wanted;
	return error;
}

/* ---- the interface ---- */

static int add_probe(struct kprobe *p, unsigned long addr)
{
	struct kprobe_site *site = find_site(addr);
	int error;

	if (!site)
		site = make_site(addr);
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

static int set_disabled(struct kprobe *p, bool disabled)
{
	u32 old = p->flags;
	int error = -EINVAL;

	mutex_lock(&kprobe_mutex);
	if (p->site) {
		WRITE_ONCE(p->flags, disabled ? old | KPROBE_FLAG_DISABLED
					      : old & ~(u32)KPROBE_FLAG_DISABLED);
		error = update_site(p->site);
		if (error)
			WRITE_ONCE(p->flags, old);
	}
	mutex_unlock(&kprobe_mutex);
	return error;
}

int enable_kprobe(struct kprobe *p)
{
	return set_disabled(p, false);
}

int disable_kprobe(struct kprobe *p)
{
	return set_disabled(p, true);
}

static const struct arch_kprobe_handlers handlers = { .int3 = kprobe_int3, .fault = kprobe_fault };

static int __init kprobes_init(void)
{
	arch_kprobe_set_handlers(&handlers);
	return 0;
}
core_initcall(kprobes_init);
