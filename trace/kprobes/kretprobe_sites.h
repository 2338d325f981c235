/* Functions with return probes. What kretprobes.c, kretprobe_hits.c and kretprobe_sites.c share. */
#pragma once

#include "trace/fgraph/fgraph.h"
#include "trace/kprobes/internal.h"

#define BUCKETS 64U

/* The return probes of a function. */
struct kretprobe_site {
	struct kretprobe_site *next; /* [kprobe_mutex] in a bucket; RCU */
	unsigned long addr;          /* [C] */
	struct list_head probes;     /* [kprobe_mutex] of struct kretprobe; RCU */
	/*
	 * [kprobe_mutex] The only probe that is enabled, if it wants nothing but each return: calls
	 * keep its token in place of a list of instances. 0: there is no such probe. RCU
	 */
	struct kretprobe *only;
	u64 token;           /* of only: written after it, and 0 before it changes */
	struct kprobe entry; /* [kprobe_mutex] armed, in a function without a call site */
	bool armed;          /* [kprobe_mutex] */
	bool gone;           /* [kprobe_mutex] in no table: its module has gone */
	/* [kprobe_mutex] of a site that has left the tables */
	union {
		struct kretprobe_site *next_dead;
		struct rcu_head rcu;
	};
};

#define IS_TOKEN 1UL /* the address of an instance is even */

/* A user of fgraph, and the sites of its probes. */
struct kretprobe_table {
	struct kretprobe_site *sites[BUCKETS]; /* [kprobe_mutex] to write; by address; RCU */
	unsigned armed_sites;                  /* [kprobe_mutex] */
	struct fgraph_ops graph;
};

static __always_inline struct kretprobe_site **bucket_of(struct kretprobe_table *table,
							 unsigned long addr)
{
	return &table->sites[(addr >> 4) % BUCKETS]; /* functions are aligned to 16 bytes */
}

static __always_inline struct kretprobe_site *find_site(struct kretprobe_table *table,
							unsigned long addr)
{
	struct kretprobe_site *site = rcu_dereference(*bucket_of(table, addr));

	while (site && site->addr != addr)
		site = rcu_dereference(site->next);
	return site;
}

/*
 * Three users of fgraph: for probes that need arguments and results only, for probes that need all
 * registers, and for functions without a call site.
 */
extern struct kretprobe_table kretprobe_table_args, kretprobe_table_regs, kretprobe_table_entries;
/* The pre_handler of the kprobe at the entry of a function without a call site. */
int kretprobe_entry_hit(struct kprobe *p, struct pt_regs *regs);

/* ---- kprobe_mutex held ---- */

/* Arms the site if a probe is enabled, and disarms it if none is. 0 or an errno. */
int kretprobe_update_site(struct kretprobe_table *table, struct kretprobe_site *site);
/* Returns the site of addr, which may be new and then has no probe. NULL: memory is short. */
struct kretprobe_site *kretprobe_get_site(struct kretprobe_table *table, unsigned long addr);
/* Takes a site without probes out of its table. Hits may use it until the end of a grace period. */
void kretprobe_unlink_site(struct kretprobe_table *table, struct kretprobe_site *site);
