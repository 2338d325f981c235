/*
 * Direct calls: code that a tracepoint's sites call while a program is its only probe.
 *
 * The usual way goes through three functions: __traceiter_NAME() finds the probe, the probe stores
 * the arguments, and the program runs. They must find out what is known already: which program,
 * which of its arguments it reads, where its mark is. The generated code has all of this as
 * constants, and is about half as long. With a second probe the sites go the usual way again.
 *
 * A task can be preempted in this code, before its first instruction or behind its last one. So the
 * code and the program stay until a grace period of RCU-tasks has passed.
 *
 * A program that looks at the stack goes the usual way, so that __traceiter_NAME() is there.
 */
#include "trace/bpf/attach/direct.h"

#include "arch/bpf/trampoline.h"
#include "arch/patch/text_area.h"
#include "arch/patch/text_patch.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rcu.h"
#include "trace/bpf/core/prog.h"

struct bpf_direct {
	struct bpf_prog *prog; /* counted */
	unsigned long address;
	u32 size;
	struct kallsyms_dynamic symbol;
	char name[KSYM_NAME_LEN];
	struct rcu_head rcu;
};

static bool write_code(struct bpf_direct *direct, const u64 *masks, u32 nr_args)
{
	u8 *buffer = kmalloc(direct->size, GFP_KERNEL);
	bool written = false;

	if (buffer) {
		(void)bpf_direct_write(direct->prog, masks, nr_args, buffer, direct->address);
		written = !text_patch_fill(direct->address, buffer, direct->size);
		kfree(buffer);
	}
	return written;
}

struct bpf_direct *bpf_direct_create(struct bpf_prog *prog, const u64 *masks, u32 nr_args,
				     const char *name)
{
	struct bpf_direct *direct;

	if (prog->has_callchain_buf || nr_args > BPF_TRAMP_MAX_ARGS)
		return NULL;
	direct = kzalloc(sizeof(*direct), GFP_KERNEL);
	if (!direct)
		return NULL;
	direct->prog = prog;
	direct->size = bpf_direct_write(prog, masks, nr_args, NULL, 0);
	direct->address = text_area_alloc(direct->size);
	if (!direct->address)
		goto free;
	if (!write_code(direct, masks, nr_args))
		goto free_text;
	bpf_prog_get(prog);
	snprintf(direct->name, sizeof(direct->name), "bpf_direct_%s", name);
	direct->symbol = (struct kallsyms_dynamic){ .address = direct->address,
						    .size = direct->size,
						    .name = direct->name,
						    .module = "bpf" };
	kallsyms_add(&direct->symbol);
	return direct;

free_text:
	text_area_free(direct->address, direct->size);
free:
	kfree(direct);
	return NULL;
}

void *bpf_direct_entry(const struct bpf_direct *direct)
{
	return direct ? (void *)direct->address : NULL;
}

static void free_memory(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct bpf_direct, rcu));
}

static void no_task_left(struct rcu_head *rcu)
{
	struct bpf_direct *direct = container_of(rcu, struct bpf_direct, rcu);

	bpf_prog_put(direct->prog);
	text_area_free(direct->address, direct->size);
	kallsyms_del(&direct->symbol);
	call_rcu(&direct->rcu, free_memory); /* readers of kallsyms may see its symbol */
}

void bpf_direct_retire(struct bpf_direct *direct)
{
	if (direct)
		call_rcu_tasks(&direct->rcu, no_task_left);
}
