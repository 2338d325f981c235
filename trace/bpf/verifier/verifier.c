/*
 * Checks a program: the steps in their order. verifier.h tells what each file does.
 */
#include "trace/bpf/verifier/verifier.h"
#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/time/ktime.h"

static int check(struct bpf_verifier_env *env)
{
	int err = bpf_check_subprogs(env);

	err = err ?: bpf_check_opcodes(env);
	err = err ?: bpf_resolve_pseudo_ldimm64(env);
	err = err ?: bpf_check_ways(env);
	err = err ?: bpf_walk(env);
	err = err ?: bpf_check_max_stack_depth(env);
	return err ?: bpf_fixup(env);
}

/* bpftrace and bpftool read some of these words. */
static void print_stats(struct bpf_verifier_env *env, u64 ns)
{
	if (env->log->level & BPF_LOG_STATS) {
		verbose(env, "verification time %lu usec\nstack depth ", ns / 1000);
		for (u32 i = 0; i < env->nr_subprogs; i++)
			verbose(env, i ? "+%u" : "%u", env->subprogs[i].stack_depth);
		verbose(env, "\n");
	}
	/* There are no marks of reads that go from state to state. */
	verbose(env,
		"processed %u insns (limit %u) max_states_per_insn %u total_states %u peak_states "
		"%u mark_read 0\n",
		env->insn_processed, BPF_COMPLEXITY_LIMIT_INSNS, env->max_states_per_insn,
		env->total_states, env->peak_states);
}

static int check_with_env(struct bpf_verifier_env *env, struct bpf_prog *prog,
			  const union bpf_attr *attr, struct bpf_verifier_log *log)
{
	ktime_t start = ktime_get();
	int err;

	env->prog = prog;
	env->insns = prog->insns;
	env->log = log;
	env->btf = btf_vmlinux();
	env->ops = prog->ops;
	env->attr = attr;
	env->strict_alignment = attr->prog_flags & BPF_F_STRICT_ALIGNMENT;
	env->test_state_freq = attr->prog_flags & BPF_F_TEST_STATE_FREQ;
	err = check(env);
	print_stats(env, (u64)(ktime_get() - start));
	prog->verified_insns = env->insn_processed;
	if (log->level && log->full)
		err = -ENOSPC;
	return err;
}

int bpf_check(struct bpf_prog *prog, const union bpf_attr *attr, struct bpf_verifier_log *log)
{
	struct bpf_verifier_env *env;
	int err = -ENOMEM;

	env = kzalloc(sizeof(*env), GFP_KERNEL);
	if (!env)
		return -ENOMEM;
	env->aux = kvzalloc(prog->len * sizeof(*env->aux), GFP_KERNEL);
	env->explored = kvzalloc(prog->len * sizeof(*env->explored), GFP_KERNEL);
	prog->used_maps = kcalloc(MAX_USED_MAPS, sizeof(*prog->used_maps), GFP_KERNEL);
	if (env->aux && env->explored && prog->used_maps)
		err = check_with_env(env, prog, attr, log);
	kvfree(env->explored);
	kvfree(env->aux);
	kfree(env);
	return err;
}
