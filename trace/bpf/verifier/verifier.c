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
	return bpf_check_subprogs(env)
		       ?: bpf_check_opcodes(env)
		       ?: bpf_resolve_pseudo_ldimm64(env)
		       ?: bpf_check_ways(env)
		       ?: bpf_walk(env)
		       ?: bpf_check_max_stack_depth(env)
		       ?: bpf_fixup(env);
}

static int check_with_env(struct bpf_verifier_env *env, struct bpf_prog *prog,
			  const union bpf_attr *attr, struct bpf_verifier_log *log)
{
	ktime_t start = ktime_get();
	int err;

	env->prog = prog;
	env->insns = prog->insns;
	env->log = log;
	env->btf = prog->attach_types ? prog->attach_types : btf_vmlinux();
	env->attr = attr;
	err = check(env);
	bpf_print_stats(env, (u64)(ktime_get() - start));
	prog->verified_insns = env->insn_processed;
	if (log->level && log->full)
		err = -ENOSPC;
	return err;
}

int bpf_check(struct bpf_prog *prog, const union bpf_attr *attr, struct bpf_verifier_log *log)
{
	struct bpf_verifier_env *env = kzalloc(sizeof(*env), GFP_KERNEL);
	int err;

	if (!env)
		return -ENOMEM;
	env->table_bytes = prog->len * (sizeof(*env->aux) + sizeof(*env->explored));
	err = bpf_check_memory_begin(&env->memory, env->table_bytes);
	if (!err) {
		env->aux = kvzalloc(prog->len * sizeof(*env->aux), GFP_KERNEL);
		env->explored = kvzalloc(prog->len * sizeof(*env->explored), GFP_KERNEL);
		prog->used_maps = kcalloc(MAX_USED_MAPS, sizeof(*prog->used_maps), GFP_KERNEL);
		err = env->aux && env->explored && prog->used_maps
			      ? check_with_env(env, prog, attr, log)
			      : -ENOMEM;
	}
	kvfree(env->explored);
	kvfree(env->aux);
	bpf_check_memory_end(&env->memory);
	kfree(env);
	return err;
}
