/* See programs.h. */
#include "selftest/bpf/programs.h"

#include "kernel/btf/btf.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "trace/bpf/attach/run.h"

struct bpf_prog *test_prog_create(const struct bpf_insn *insns, u32 len)
{
	struct bpf_prog *prog = kzalloc(sizeof(*prog), GFP_KERNEL);

	if (!prog)
		return NULL;
	prog->insns = kmemdup(insns, len * sizeof(*insns), GFP_KERNEL);
	prog->subprogs = kcalloc(1, sizeof(*prog->subprogs), GFP_KERNEL);
	prog->stats = kcalloc(nr_cpu_ids, sizeof(*prog->stats), GFP_KERNEL);
	prog->mark = bpf_prog_mark_get();
	prog->len = len;
	prog->nr_subprogs = 1;
	if (prog->subprogs)
		prog->subprogs->stack_depth = MAX_BPF_STACK;
	strscpy(prog->name, "test", sizeof(prog->name));
	atomic_set(&prog->refs, 1);
	if (prog->insns && prog->subprogs && prog->stats && !bpf_prog_select_runtime(prog) &&
	    prog->jited)
		return prog;
	test_prog_free(prog);
	return NULL;
}

void test_prog_free(struct bpf_prog *prog)
{
	while (atomic_read(&prog->refs) > 1)
		msleep(1);
	bpf_prog_free_runtime(prog);
	kfree(prog->stats);
	bpf_prog_mark_put(prog->mark);
	kfree(prog->subprogs);
	kfree(prog->insns);
	kfree(prog);
}

bool test_prog_aim(struct bpf_prog *prog, enum bpf_attach_type type, const char *name)
{
	btf_vmlinux_load();
	prog->type = BPF_PROG_TYPE_TRACING;
	prog->expected_attach_type = type;
	prog->attach_addr = kallsyms_lookup_name(name);
	prog->attach_types = btf_vmlinux();
	prog->attach_func_proto = btf_vmlinux() ? btf_find_func_proto(btf_vmlinux(), name) : NULL;
	return prog->attach_func_proto && prog->attach_addr;
}
