/* Declarations shared by the files of trace/kprobes. */
#pragma once

#include "arch/probes/insn.h"
#include "arch/probes/kprobe_detour.h"
#include "arch/probes/kprobes.h"
#include "arch/cpu/percpu.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/mutex.h"
#include "trace/ftrace/ftrace.h"
#include "trace/kprobes/kprobes.h"
#include "trace/kprobes/partial_regs.h"

#define FTRACE_SITE_SIZE 5

#define KPROBE_BUCKETS 64U

struct kprobe_site;

/* Sites, by address. Those at call sites of ftrace use ops. */
struct kprobe_table {
	struct kprobe_site *sites[KPROBE_BUCKETS]; /* [kprobe_mutex] to write; RCU */
	unsigned ftrace_sites;                     /* [kprobe_mutex] armed */
	struct ftrace_ops ops;
};

/* The detour of a site. It outlives the site's use of it until RCU-tasks says that no task is in
 * it. */
struct kprobe_detour {
	struct rcu_head rcu;
	struct list_head list;   /* [detours_lock] in optimize.c; RCU */
	struct arch_detour arch; /* [C] */
};

/* The probes of an address. */
struct kprobe_site {
	struct kprobe_site *next, *next_slot; /* [kprobe_mutex] in a bucket of each table; RCU */
	/* [kprobe_mutex] of a site that has left the tables */
	union {
		struct kprobe_site *next_dead;
		struct rcu_head rcu;
	};
	unsigned long addr;         /* [C] */
	struct kprobe_table *table; /* [C] */
	struct arch_kprobe arch;    /* [C] not at a call site of ftrace */
	struct list_head probes;    /* [kprobe_mutex] of struct kprobe; RCU */
	/*
	 * [kprobe_mutex] RCU. At a call site: the only enabled probe, if it has no post_handler, or
	 * &all, whose pre_handler calls the handlers of all.
	 */
	struct kprobe *first, all;
	/* [kprobe_mutex] RCU. Not NULL: execution continues in it, after the int3, too. */
	struct kprobe_detour *detour;
	u32 round;     /* [kprobe_mutex] of the optimizer, that has made the detour */
	bool ftrace;   /* [C] */
	bool armed;    /* [kprobe_mutex] */
	bool only_pre; /* [kprobe_mutex] no enabled probe has a post_handler */
	bool queued;   /* [kprobe_mutex] the optimizer looks at it soon */
	bool jump;     /* [kprobe_mutex] the jump to the detour is in the text */
	bool gone;     /* [kprobe_mutex] in no table of addresses: its module has gone */
};

/* Protects sites and registrations. Before fgraph_mutex, ftrace_lock, text_patch_mutex. */
extern struct mutex kprobe_mutex;
extern bool kprobes_all_disarmed;         /* [kprobe_mutex] kprobes/enabled is 0 */
extern bool kprobes_silenced;             /* a handler has faulted; never cleared */
DECLARE_PER_CPU(unsigned, kprobe_active); /* this CPU is in a handler of a probe */

static __always_inline bool kprobe_disabled(const struct kprobe *p)
{
	return READ_ONCE(p->flags) & (KPROBE_FLAG_DISABLED | KPROBE_FLAG_GONE);
}

/* ---- hit.c ---- */

/* kprobe_args_table: probes at call sites that need only arguments. */
extern struct kprobe_table kprobe_table, kprobe_args_table;
/* The end of each bucket of the two: no address is its. So a bucket has a first site to look at. */
extern struct kprobe_site kprobe_no_site;
int kprobe_call_all(struct kprobe *all, struct pt_regs *regs); /* pre_handler of kprobe_site.all */
extern struct kprobe_site *kprobe_slot_sites[KPROBE_BUCKETS];  /* [kprobe_mutex] to write; RCU */

static __always_inline struct kprobe_site **kprobe_bucket(struct kprobe_table *table,
							  unsigned long addr)
{
	return &table->sites[addr / 16 % KPROBE_BUCKETS]; /* functions are aligned */
}

static __always_inline struct kprobe_site **kprobe_slot_bucket(unsigned long slot)
{
	return &kprobe_slot_sites[slot / KPROBE_SLOT_SIZE % KPROBE_BUCKETS];
}

/* For a list of a table, while kprobe_mutex is held. */
#define kprobe_for_each_site(site, sites)                                                          \
	for (site = (sites); site != &kprobe_no_site; site = site->next)

/* NULL: none. kprobe_mutex, or in a hit. */
static __always_inline struct kprobe_site *kprobe_find_site(struct kprobe_table *table,
							    unsigned long addr)
{
	struct kprobe_site *site = rcu_dereference(*kprobe_bucket(table, addr));

	while (unlikely(site->addr != addr)) {
		site = rcu_dereference(site->next);
		if (!site)
			break;
	}
	return site;
}

static __always_inline struct kprobe_site *kprobe_find_slot(unsigned long ip)
{
	unsigned long slot = ALIGN_DOWN(ip, KPROBE_SLOT_SIZE);
	struct kprobe_site *site = rcu_dereference(*kprobe_slot_bucket(slot));

	while (site && site->arch.slot != slot)
		site = rcu_dereference(site->next_slot);
	return site;
}

/* struct arch_kprobe_handlers */
bool kprobe_int3(struct pt_regs *regs);
void kprobe_fault(struct pt_regs *regs);
void kprobe_detour_hit(void *data, struct pt_regs *regs);
/* True for functions that have preemption off while they call handlers. Any context. */
bool kprobe_hides_preempt_off(unsigned long func);

/* ---- kprobes.c ---- */

/* The site at addr that is not a call site of ftrace, or NULL. kprobe_mutex. */
struct kprobe_site *kprobe_site_at(unsigned long addr);
/* Calls fn for each site that needs all registers. kprobe_mutex. */
void kprobe_sites_for_each(void (*fn)(void *data, struct kprobe_site *site), void *data);
/*
 * Add and remove a probe, whose address has been checked. The handlers of a probe that was removed
 * may still run; after a grace period of RCU they do not. kprobe_mutex held.
 */
int kprobe_add(struct kprobe *p, unsigned long addr);
struct kprobe_site *kprobe_remove(struct kprobe *p);
/* Frees, after a grace period of RCU, a site that is in no list of addresses. kprobe_mutex. */
void kprobe_free_site(struct kprobe_site *site);
/* Disarms (and arms again) all probes for kprobes/enabled. 0 or an error. kprobe_mutex held. */
int kprobes_set_all(bool disarmed);
/* The next two call fn for each registered probe. kprobe_mutex held. */
typedef void (*kprobe_visit_t)(void *data, const struct kprobe *p, char type, bool ftrace,
			       bool optimized);
void kprobes_for_each(kprobe_visit_t fn, void *data);

/* ---- optimize.c: jumps in place of int3. kprobe_mutex held ---- */

/* Queues the site for the optimizer, if a jump may reach its handlers. */
void kprobe_optimize(struct kprobe_site *site);
/* Puts the int3 back. On return hits execute the instruction as arch_kprobe_execute() does. */
void kprobe_unoptimize(struct kprobe_site *site);
/* The same for the sites whose jumps cover addr, or would cover it. */
void kprobe_optimize_around(unsigned long addr);
void kprobe_unoptimize_around(unsigned long addr);
/* The byte that the int3 or the jump of a probe replaces: true, and *byte is written. */
bool kprobe_original_byte(unsigned long addr, u8 *byte);
/*
 * Waits until each site that was queued has its jump, or cannot have one. Task context, without
 * kprobe_mutex.
 */
void wait_for_kprobe_optimizer(void);
/* If regs are in the copies of a detour, they now point to the instruction itself. Any context. */
void kprobe_detour_fault(struct pt_regs *regs);

/* ---- can_jump.c ---- */

/*
 * The length of the instructions at addr that a jump would cover, 5 or more; 0: a jump cannot
 * replace them. Copies them to bytes. Task context. kprobe_mutex.
 */
u8 kprobe_jump_length(unsigned long addr, u8 bytes[DETOUR_MAX_LENGTH]);

/* ---- kretprobe_hits.c, kretprobe_sites.c ---- */

/* Counts a hit of a probe with KPROBE_FLAG_RETURNS whose handler is not called. Any context. */
void kretprobe_entry_missed(struct kprobe *p);
int kretprobes_set_all(void); /* as kprobes_set_all(), which calls it */
void kretprobes_for_each(kprobe_visit_t fn, void *data);

struct module;
/* Disarms the probes in the module's text, or only in its init text. They are GONE. kprobe_mutex.*/
void kretprobes_module_gone(const struct module *module, bool only_init);

/* ---- fprobe.c: the same, and functions that have preemption off around handlers ---- */

bool fprobe_hides_preempt_off(unsigned long func);

/* ---- address.c: where a probe can be ---- */

/*
 * Computes the address that p names, and checks that a probe can be there: 0, or an error of
 * register_kprobe(). kprobe_mutex held, so that a module that the address is in does not go.
 */
int kprobe_address(const struct kprobe *p, unsigned long *addr);
/*
 * Copies an instruction without the int3 and the jumps of probes. Returns the number of bytes.
 * kprobe_mutex.
 */
size_t kprobe_read_text(unsigned long addr, u8 bytes[MAX_INSN_SIZE]);
/*
 * The size of the instruction at addr, and 0 if there is none. The instruction is decoded into
 * *insn, unless a site of ftrace or of a static key is there: then *patched is true. kprobe_mutex.
 */
unsigned kprobe_instruction_size(unsigned long addr, struct insn *insn, bool *patched);
/* Calls fn for each range of addresses where no probe can be. */
void kprobe_blacklist_for_each(void (*fn)(void *data, unsigned long start, unsigned long end),
			       void *data);
/* Whether the address is in the module's text that goes. */
bool kprobe_in_module(unsigned long addr, const struct module *module, bool only_init);
