/* Declarations shared by the files of trace/kprobes. */
#pragma once

#include "arch/insn.h"
#include "arch/kprobes.h"
#include "arch/percpu.h"
#include "kernel/sched/mutex.h"
#include "trace/kprobes/kprobes.h"

#define FTRACE_SITE_SIZE 5

struct kprobe_table;

/* The probes of an address. */
struct kprobe_site {
	struct kprobe_site *next, *next_slot; /* [kprobe_mutex] in a bucket of each table; RCU */
	unsigned long addr;                   /* [C] */
	struct kprobe_table *table;           /* [C] */
	struct arch_kprobe arch;              /* [C] not at a call site of ftrace */
	struct list_head probes;              /* [kprobe_mutex] of struct kprobe; RCU */
	/* [kprobe_mutex] At a call site: the only enabled one, if it has no post_handler. RCU */
	struct kprobe *only;
	bool ftrace; /* [C] */
	bool armed;  /* [kprobe_mutex] */
	bool gone;   /* [kprobe_mutex] in no table of addresses: its module has gone */
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

/* ---- kprobes.c ---- */

/* The byte that the int3 of a probe replaces at addr: true, and *byte is written. kprobe_mutex. */
bool kprobe_original_byte(unsigned long addr, u8 *byte);
/* Disarms (and arms again) all probes for kprobes/enabled. 0 or an error. kprobe_mutex held. */
int kprobes_set_all(bool disarmed);
/* The next two call fn for each registered probe. kprobe_mutex held. */
typedef void (*kprobe_visit_t)(void *data, const struct kprobe *p, char type, bool ftrace);
void kprobes_for_each(kprobe_visit_t fn, void *data);

/* ---- kretprobes.c ---- */

int kretprobes_set_all(void); /* as kprobes_set_all(), which calls it */
void kretprobes_for_each(kprobe_visit_t fn, void *data);
/* True for the functions that call handlers of return probes. Any context. */
bool kretprobe_calls_handlers(unsigned long func);

struct module;
/* Disarms the probes in the module's text, or only in its init text. They are GONE. kprobe_mutex.*/
void kretprobes_module_gone(const struct module *module, bool only_init);

/* ---- fprobe.c: the same, and functions that have preemption off around handlers ---- */

bool fprobe_calls_handlers(unsigned long func);
bool fprobe_hides_preempt_off(unsigned long func);

/* ---- address.c: where a probe can be ---- */

/*
 * Computes the address that p names, and checks that a probe can be there: 0, or an error of
 * register_kprobe(). kprobe_mutex held, so that a module that the address is in does not go.
 */
int kprobe_address(const struct kprobe *p, unsigned long *addr);
/* Copies an instruction without the int3 of probes. Returns the number of bytes. kprobe_mutex. */
size_t kprobe_read_text(unsigned long addr, u8 bytes[MAX_INSN_SIZE]);
/* Calls fn for each range of addresses where no probe can be. */
void kprobe_blacklist_for_each(void (*fn)(void *data, unsigned long start, unsigned long end),
			       void *data);
/* Whether the address is in the module's text that goes. */
bool kprobe_in_module(unsigned long addr, const struct module *module, bool only_init);
