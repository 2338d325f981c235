/*
 * Modules, as the kernel knows them without the loader: their list and their references, and how
 * code is told of them. kernel/module/module.h has what a module says of itself, and the loader.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/kallsyms.h"
#include "kernel/linker_table.h"

struct jump_entry;
struct tracepoint;
struct trace_event_call;
struct kernel_param;
struct exception_table_entry;
struct module_section;

#define MODULE_NAME_LEN 56

/* The numbers are Linux's: the module events and tools show them. */
enum module_state {
	MODULE_STATE_LIVE,     /* init has returned */
	MODULE_STATE_COMING,   /* complete; init runs, or will run */
	MODULE_STATE_GOING,    /* nothing refers to it any more */
	MODULE_STATE_UNFORMED, /* being put together */
};

/* The regions of a module, by their rights. */
enum module_region {
	MOD_TEXT,
	MOD_RODATA,
	MOD_DATA,
	MOD_INIT_TEXT, /* the last three are freed when init has returned */
	MOD_INIT_RODATA,
	MOD_INIT_DATA,
	MOD_REGIONS,
	/*
	 * The per-CPU variables. Only the loader treats them as a region: their addresses are in
	 * the kernel's own section, and each CPU has a copy.
	 */
	MOD_PERCPU = MOD_REGIONS,
	LOAD_REGIONS,
};

struct module_memory {
	unsigned long base; /* page-aligned; 0: none */
	size_t size;        /* in use */
};

/*
 * A module. The object is a part of the module, in its data: the build makes it, with name, init
 * and exit, and the loader fills in the rest.
 *
 * [M] module_mutex; [R] M to write, RCU to read; [A] atomic; no letter: constant once the module is
 * COMING. Pointers to regions of init are NULL once the module is LIVE.
 */
struct module {
	char name[MODULE_NAME_LEN];
	int (*init)(void);       /* NULL: none */
	void (*exit)(void);      /* NULL: none */
	enum module_state state; /* [M] to write, any context reads */
	struct list_head list;   /* [R] in the list of modules */
	atomic_t refcnt;         /* [A] references, and one of the module itself; 0: GOING */
	struct list_head users;  /* [M] struct module_use */
	struct list_head uses;   /* [M] struct module_use */
	struct module_memory memory[MOD_REGIONS];
	struct module_memory percpu; /* addresses of the per-CPU variables; base 0: none */
	unsigned taints;             /* BIT(TAINT_*) */
	char *args;                  /* the text of the parameters */
	const char *version;
	const char *srcversion;
	struct module_section *sections;
	unsigned num_sections;

	const struct kernel_symbol *syms; /* what it exports, by name */
	unsigned num_syms;
	const struct kernel_param *params;
	unsigned num_params;
	const struct exception_table_entry *extable;
	unsigned num_extable;
	const unsigned long *call_sites; /* of ftrace, in the order of addresses; freed when LIVE */
	unsigned num_call_sites;
	struct jump_entry *jump_entries;
	unsigned num_jump_entries;
	struct trace_event_call *trace_events;
	size_t trace_events_size; /* bytes */
	const char **trace_printk_formats;
	unsigned num_trace_printk_formats;
	/* Its types, and of which kernel they are (kernel/btf/vmlinux.h); NULL: none; or LIVE. */
	const void *btf, *btf_id;
	unsigned btf_size, btf_id_size;
	struct btf_module_data *btf_data; /* their copy, while the module comes */
	unsigned long traceiter_text;     /* functions that call the probes of its tracepoints */
	size_t traceiter_size;
	struct kallsyms_table *symbols, *init_symbols;
	void *ftrace;      /* of trace/ftrace/module.c [ftrace_lock] */
	void *jump_labels; /* of kernel/jump_label_module.c [jump_label_mutex] */
	void *files;       /* of fs/module/sysfs.c [M of the chain] */
	bool has_init;
	bool may_be_probed;     /* ftrace and jump labels know its sites; of trace/kprobes */
	bool keep_init_symbols; /* a tracer runs: names of init text stay until the module goes */
	bool klp_alive;         /* live patches may refer to it [klp_mutex] */
	bool livepatch;         /* it carries MODULE_INFO(livepatch, "Y") */
};

/* ---- references ---- */

/*
 * Counts a reference to a module, so that it stays. try_module_get() returns false if the module is
 * GOING. For __module_get() the caller has a reference already. module may be NULL: the kernel
 * itself, which stays. Any context.
 */
#ifdef NOP5_HOST
static inline bool try_module_get(struct module *module __unused)
{
	return true;
}
static inline void module_put(struct module *module __unused)
{
}
#else
bool try_module_get(struct module *module);
void __module_get(struct module *module);
void module_put(struct module *module);
#endif

/* ---- finding modules ---- */

extern struct list_head modules; /* [R] */

/* Returns the module of that name that is not UNFORMED, or NULL. M held, or RCU. */
struct module *find_module(const char *name);
/*
 * Returns the module with address in one of its regions. As a reader of RCU; the module stays until
 * the end of the reader. Any context.
 */
struct module *__module_address(unsigned long address);
static __always_inline bool within_module_region(const struct module *module,
						 enum module_region region, unsigned long address)
{
	return address - module->memory[region].base < module->memory[region].size;
}
static __always_inline bool within_module(unsigned long address, const struct module *module)
{
	for (unsigned region = 0; region < MOD_REGIONS; region++)
		if (within_module_region(module, region, address))
			return true;
	return false;
}

/* ---- the chain ---- */

struct module_notifier {
	/*
	 * A module comes (COMING: before its parameters are set and init runs), is there (LIVE:
	 * init has returned, and its init regions are about to be freed), or goes (GOING: after
	 * exit, or after an init that failed). COMING returns 0 or a negative errno. Task context;
	 * the mutex of the chain is held, module_mutex is not.
	 */
	int (*coming)(struct module *module);
	void (*live)(struct module *module);  /* may be NULL */
	void (*going)(struct module *module); /* may be NULL */
};
/*
 * Adds a user to the chain, a linker table that only the loader walks. place is one of the
 * following: users are told in this order when a module comes, and backwards when it goes. So a
 * mechanism comes before its users. At the same place the order is that of linking.
 *
 *	MODULE_NOTIFIER(MODULE_CHAIN_KPROBES) = { .coming = …, .going = … };
 */
#define MODULE_CHAIN_STATIC_KEYS  "1"
#define MODULE_CHAIN_FORMATS      "2" /* of trace_printk() */
#define MODULE_CHAIN_FTRACE       "3"
#define MODULE_CHAIN_KPROBES      "4"
#define MODULE_CHAIN_PROBE_EVENTS "5"
#define MODULE_CHAIN_OTHERS       "6" /* /sys/module, events, live patches, the profiler */
#define MODULE_NOTIFIER(place)                                                                     \
	static const struct module_notifier module_notifier LINKER_TABLE_ENTRY(                    \
		rodata, module_notifiers, place)
