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

/* What there is for each instruction, beside the states. 0, -ENOMEM, -EAGAIN. */
static int alloc_tables(struct bpf_verifier_env *env, struct bpf_prog *prog)
{
	int err;

	env->table_bytes = prog->len * (sizeof(*env->aux) + sizeof(*env->explored));
	err = bpf_check_memory_wait(&env->memory, env->table_bytes);
	if (err)
		return err;
	bpf_check_memory_count(&env->memory, (ssize_t)env->table_bytes);
	env->aux = kvzalloc(prog->len * sizeof(*env->aux), GFP_KERNEL | __GFP_NOWARN);
	env->explored = kvzalloc(prog->len * sizeof(*env->explored), GFP_KERNEL | __GFP_NOWARN);
	prog->used_maps = kcalloc(MAX_USED_MAPS, sizeof(*prog->used_maps), GFP_KERNEL);
	return env->aux && env->explored && prog->used_maps ? 0 : -ENOMEM;
}

static void free_tables(struct bpf_verifier_env *env)
{
	kvfree(env->explored);
	kvfree(env->aux);
	bpf_check_memory_count(&env->memory, -(ssize_t)env->memory.bytes);
	bpf_check_memory_end(&env->memory);
}

int bpf_check(struct bpf_prog *prog, const union bpf_attr *attr, struct bpf_verifier_log *log)
{
	struct bpf_verifier_env *env;
	int err;

	env = kzalloc(sizeof(*env), GFP_KERNEL);
	if (!env)
		return -ENOMEM;
	err = alloc_tables(env, prog) ?: check_with_env(env, prog, attr, log);
	free_tables(env);
	kfree(env);
	return err;
}
