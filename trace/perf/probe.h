/*
 * The probe of one perf event: probe.c explains it. For handlers that a program brings along
 * (struct perf_program).
 */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/kallsyms.h"
#include "kernel/rcu/rcu.h"
#include "trace/kprobes/kprobes.h"
#include "trace/uprobes/uprobes.h"

struct perf_program;

struct perf_probe {
	bool is_return;
	/* [E] to write, RCU to read. uprobe: NULL: none. kprobe: only for the program's handlers */
	struct perf_program *program;
	char name[KSYM_NAME_LEN]; /* of the function; "": an address */
	struct kretprobe rp;      /* kprobe; not at a return: only rp.kp */
	struct path path;         /* uprobe; counted */
	char *path_name;          /* as it was given */
	struct uprobe_consumer consumer;
}; /* constant once registered, but for the program */

static __always_inline struct perf_probe *to_perf_probe(struct kprobe *p)
{
	return container_of(p, struct perf_probe, rp.kp);
}

/* For the handlers of a program, in their context: that program, or one that has replaced it. */
static __always_inline struct perf_program *perf_kprobe_program(struct kprobe *p)
{
	return rcu_dereference(to_perf_probe(p)->program);
}
/* NULL: the probe is being unregistered. Then perf_kretprobe_count() does nothing. */
static __always_inline struct perf_program *
perf_kretprobe_program(const struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	return likely(rp) ? perf_kprobe_program(&rp->kp) : NULL;
}

/* The handlers without a program: the hit counts, or makes a sample. 0. */
int perf_kprobe_count(struct kprobe *p, struct pt_regs *regs);
int perf_kretprobe_count(struct kretprobe_instance *ri, struct pt_regs *regs);
