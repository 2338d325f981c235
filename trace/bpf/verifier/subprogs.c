/*
 * The functions of a program: where they begin, what BTF says of them, and how much stack they need
 * when they call each other.
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/core/btf.h"
#include "trace/bpf/helpers/numbers.h"
#include "trace/bpf/verifier/verifier.h"

#define BTF_FUNC_GLOBAL 1 /* vlen of a FUNC: its linkage */

int bpf_find_subprog(const struct bpf_verifier_env *env, u32 insn_idx)
{
	for (u32 i = 0; i < env->nr_subprogs; i++)
		if (env->subprogs[i].start == insn_idx)
			return (int)i;
	return -ENOENT;
}

/* ---- where they begin ---- */

/* Keeps them in their order. */
static int add_subprog(struct bpf_verifier_env *env, s64 start)
{
	u32 i = env->nr_subprogs;

	if (start < 0 || start >= env->prog->len) {
		verbose(env, "call to invalid destination\n");
		return -EINVAL;
	}
	if (bpf_find_subprog(env, (u32)start) >= 0)
		return 0;
	if (i == BPF_MAX_SUBPROGS) {
		verbose(env, "too many subprograms\n");
		return -E2BIG;
	}
	for (; i > 0 && env->subprogs[i - 1].start > start; i--)
		env->subprogs[i].start = env->subprogs[i - 1].start;
	env->subprogs[i].start = (u32)start;
	env->nr_subprogs++;
	return 0;
}

static int find_subprogs(struct bpf_verifier_env *env)
{
	int err = add_subprog(env, 0);

	for (u32 i = 0; !err && i < env->prog->len; i++) {
		const struct bpf_insn *insn = &env->insns[i];

		if (bpf_insn_is_pseudo_call(insn) || bpf_insn_is_pseudo_func(insn)) {
			err = add_subprog(env, (s64)i + insn->imm + 1);
		} else if (insn->code == (BPF_JMP | BPF_CALL) &&
			   insn->src_reg == BPF_PSEUDO_KFUNC_CALL && insn->imm) {
			/* 0: libbpf did not find it, and the call must not be reached. */
			verbose(env, "calling kernel function is not allowed\n");
			err = -EINVAL;
		}
	}
	if (err)
		return err;
	env->subprogs[env->nr_subprogs].start = env->prog->len;
	if (env->log->level & BPF_LOG_LEVEL2)
		for (u32 i = 0; i < env->nr_subprogs; i++)
			verbose(env, "func#%u @%u\n", i, env->subprogs[i].start);
	return 0;
}

/* Jumps stay in their function, and none runs on into the next one. */
static int check_subprog(struct bpf_verifier_env *env, struct bpf_subprog_info *subprog)
{
	u32 end = subprog[1].start;
	u8 code = 0;

	for (u32 i = subprog->start; i < end; i++) {
		const struct bpf_insn *insn = &env->insns[i];
		s64 target;

		code = insn->code;
		if (bpf_insn_is_helper_call(insn) && insn->imm == BPF_FUNC_tail_call)
			subprog->has_tail_call = true;
		if (BPF_CLASS(code) == BPF_LD &&
		    (BPF_MODE(code) == BPF_ABS || BPF_MODE(code) == BPF_IND))
			subprog->has_ld_abs = true;
		if (!bpf_insn_is_jump(insn))
			continue;
		target = (s64)i + insn->off + 1;
		if (target < subprog->start || target >= end) {
			verbose(env, "jump out of range from insn %u to %ld\n", i, target);
			return -EINVAL;
		}
	}
	if (code != (BPF_JMP | BPF_EXIT) && code != (BPF_JMP | BPF_JA)) {
		verbose(env, "last insn is not an exit or jmp\n");
		return -EINVAL;
	}
	return 0;
}

/* ---- what BTF says of them ---- */

static bool is_number(const struct btf_type *t)
{
	return t && (btf_kind(t) == BTF_KIND_INT || btf_kind(t) == BTF_KIND_ENUM ||
		     btf_kind(t) == BTF_KIND_ENUM64);
}

static bool returns_number(const struct btf *btf, const struct btf_type *proto)
{
	return is_number(btf_type_skip_modifiers(btf, proto->type, NULL));
}

static int check_func_info(struct bpf_verifier_env *env, u32 i)
{
	const struct bpf_func_info *info = &env->prog->func_info[i];
	struct bpf_subprog_info *subprog = &env->subprogs[i];
	const struct btf *btf = &env->prog->btf->btf;
	const struct btf_type *t;

	if (i == 0 && info->insn_off) {
		verbose(env, "nonzero insn_off %u for the first func info record", info->insn_off);
		return -EINVAL;
	}
	if (i && info->insn_off <= info[-1].insn_off) {
		verbose(env, "same or smaller insn offset (%u) than previous func info record (%u)",
			info->insn_off, info[-1].insn_off);
		return -EINVAL;
	}
	if (subprog->start != info->insn_off) {
		verbose(env, "func_info BTF section doesn't match subprog layout in BPF program\n");
		return -EINVAL;
	}
	t = btf_type_by_id(btf, info->type_id);
	if (!t || btf_kind(t) != BTF_KIND_FUNC) {
		verbose(env, "invalid type id %u in func info", info->type_id);
		return -EINVAL;
	}
	subprog->func_type_id = info->type_id;
	subprog->is_global = btf_vlen(t) == BTF_FUNC_GLOBAL;
	subprog->proto = btf_type_by_id(btf, t->type);
	if (!subprog->proto || btf_kind(subprog->proto) != BTF_KIND_FUNC_PROTO)
		return -EINVAL;
	if (i && subprog->has_ld_abs && !returns_number(btf, subprog->proto)) {
		verbose(env, "LD_ABS is only allowed in functions that return 'int'.\n");
		return -EINVAL;
	}
	if (i && subprog->has_tail_call && !returns_number(btf, subprog->proto)) {
		verbose(env, "tail_call is only allowed in functions that return 'int'.\n");
		return -EINVAL;
	}
	return 0;
}

/* Without BTF it is not known that a function that ends in a hidden way returns a number. */
static int check_abnormal_return(struct bpf_verifier_env *env)
{
	for (u32 i = 1; i < env->nr_subprogs; i++) {
		if (env->subprogs[i].has_ld_abs) {
			verbose(env, "LD_ABS is not allowed in subprogs without BTF\n");
			return -EINVAL;
		}
		if (env->subprogs[i].has_tail_call) {
			verbose(env, "tail_call is not allowed in subprogs without BTF\n");
			return -EINVAL;
		}
	}
	return 0;
}

/* Lines are only shown, but programs trust that they are in order. */
static int check_line_info(struct bpf_verifier_env *env)
{
	const struct bpf_line_info *line = env->prog->line_info;
	u32 func = 0;

	for (u32 i = 0; i < env->prog->nr_line_info; i++) {
		u32 prev = i ? line[i - 1].insn_off : 0;

		if ((i && line[i].insn_off <= prev) || line[i].insn_off >= env->prog->len) {
			verbose(env,
				"Invalid line_info[%u].insn_off:%u (prev_offset:%u prog->len:%u)\n",
				i, line[i].insn_off, prev, env->prog->len);
			return -EINVAL;
		}
		if (!env->insns[line[i].insn_off].code) {
			verbose(env, "Invalid insn code at line_info[%u].insn_off\n", i);
			return -EINVAL;
		}
		if (line[i].line_off >= env->prog->btf->btf.str_len ||
		    line[i].file_name_off >= env->prog->btf->btf.str_len) {
			verbose(env, "Invalid line_info[%u].line_off or .file_name_off\n", i);
			return -EINVAL;
		}
		if (func == env->nr_subprogs || env->subprogs[func].start > line[i].insn_off)
			continue;
		if (env->subprogs[func].start < line[i].insn_off) {
			verbose(env, "missing bpf_line_info for func#%u\n", func);
			return -EINVAL;
		}
		func++;
	}
	if (env->prog->nr_line_info && func != env->nr_subprogs) {
		verbose(env, "missing bpf_line_info for %u funcs starting from func#%u\n",
			env->nr_subprogs - func, func);
		return -EINVAL;
	}
	return 0;
}

static int check_btf_info(struct bpf_verifier_env *env)
{
	int err = 0;

	if (!env->prog->nr_func_info)
		err = check_abnormal_return(env);
	else if (env->prog->nr_func_info != env->nr_subprogs) {
		verbose(env, "number of funcs in func_info doesn't match number of subprogs\n");
		err = -EINVAL;
	}
	for (u32 i = 0; !err && i < env->prog->nr_func_info; i++)
		err = check_func_info(env, i);
	return err ?: check_line_info(env);
}

int bpf_check_subprogs(struct bpf_verifier_env *env)
{
	int err = find_subprogs(env);

	for (u32 i = 0; !err && i < env->nr_subprogs; i++)
		err = check_subprog(env, &env->subprogs[i]);
	return err ?: check_btf_info(env);
}

/* ---- what a global function expects ---- */

/* Whether a pointer to this type is the context of programs of this type. */
static bool is_ctx_type(const struct bpf_prog *prog, const struct btf *btf, u32 type_id)
{
	static const struct {
		enum bpf_prog_type type;
		const char *name;
	} contexts[] = {
		{ BPF_PROG_TYPE_SOCKET_FILTER, "__sk_buff" },
		{ BPF_PROG_TYPE_KPROBE, "bpf_user_pt_regs_t" },
		{ BPF_PROG_TYPE_KPROBE, "pt_regs" },
		{ BPF_PROG_TYPE_PERF_EVENT, "bpf_perf_event_data" },
		{ BPF_PROG_TYPE_RAW_TRACEPOINT, "bpf_raw_tracepoint_args" },
		{ BPF_PROG_TYPE_SYSCALL, "bpf_syscall_ctx" },
	};
	const struct btf_type *t;

	for (u32 depth = 0; depth < 8; depth++) {
		const char *name;

		t = btf_type_by_id(btf, type_id);
		if (!t)
			return false;
		name = btf_name_by_offset(btf, t->name_off);
		for (u32 i = 0; i < ARRAY_SIZE(contexts); i++)
			if (contexts[i].type == prog->type && !strcmp(contexts[i].name, name))
				return true;
		/* A typedef has a name of its own. */
		if (btf_kind(t) != BTF_KIND_TYPEDEF && btf_kind(t) != BTF_KIND_CONST &&
		    btf_kind(t) != BTF_KIND_VOLATILE)
			return false;
		type_id = t->type;
	}
	return false;
}

int bpf_get_func_args(struct bpf_verifier_env *env, u32 subprog, struct bpf_func_arg *arg, u32 *nr)
{
	const struct btf_type *proto = env->subprogs[subprog].proto;
	const struct btf *btf;
	const char *name;

	if (!proto)
		return -EINVAL;
	btf = &env->prog->btf->btf;
	name = btf_name_by_offset(
		btf, btf_type_by_id(btf, env->subprogs[subprog].func_type_id)->name_off);
	*nr = btf_vlen(proto);
	if (*nr > MAX_BPF_FUNC_REG_ARGS) {
		verbose(env, "Global function %s() with %u > %d args. Buggy compiler.\n", name, *nr,
			MAX_BPF_FUNC_REG_ARGS);
		return -EINVAL;
	}
	if (!returns_number(btf, proto)) {
		verbose(env,
			"Global function %s() doesn't return scalar. Only those are supported.\n",
			name);
		return -EINVAL;
	}
	for (u32 i = 0; i < *nr; i++) {
		const struct btf_type *t =
			btf_type_skip_modifiers(btf, btf_params(proto)[i].type, NULL);

		arg[i].mem_size = 0;
		if (is_number(t)) {
			arg[i].kind = BPF_FUNC_ARG_SCALAR;
		} else if (t && btf_kind(t) == BTF_KIND_PTR &&
			   is_ctx_type(env->prog, btf, t->type)) {
			arg[i].kind = BPF_FUNC_ARG_CTX;
		} else if (t && btf_kind(t) == BTF_KIND_PTR && bpf_btf_type_size(btf, t->type)) {
			arg[i].kind = BPF_FUNC_ARG_MEM;
			arg[i].mem_size = bpf_btf_type_size(btf, t->type);
		} else {
			verbose(env, "Arg#%u type in %s() is not supported yet.\n", i, name);
			return -EINVAL;
		}
	}
	return 0;
}

/* ---- stack ---- */

/* The interpreter counts stack in pieces of 32 bytes, at least one for each function. */
static u32 frame_bytes(const struct bpf_subprog_info *subprog)
{
	return max(((u32)subprog->stack_depth + 31) & ~31U, 32U);
}

/*
 * A function as frame of that number, when its callers use so many bytes. Tail calls drop the frame of their function, but not those of its callers, and
 * 33 of them may follow each other: so the callers may only have 256 bytes.
 */
static int check_frame(struct bpf_verifier_env *env, u32 subprog, u32 frame, u32 bytes)
{
	if (frame == MAX_CALL_FRAMES) {
		verbose(env, "the call stack of %u frames is too deep !\n", frame);
		return -E2BIG;
	}
	if (subprog && env->subprogs[subprog].has_tail_call && bytes >= 256) {
		verbose(env,
			"tail_calls are not allowed when call stack of previous frames is %u "
			"bytes. Too large\n",
			bytes);
		return -EACCES;
	}
	bytes += frame_bytes(&env->subprogs[subprog]);
	if (bytes > MAX_BPF_STACK) {
		verbose(env, "combined stack size of %u calls is %u. Too large\n", frame + 1,
			bytes);
		return -EACCES;
	}
	return 0;
}

/* The function that the instruction calls, or passes as a callback. -ENOENT: none. */
static int callee_of(const struct bpf_verifier_env *env, u32 i)
{
	const struct bpf_insn *insn = &env->insns[i];

	if (bpf_insn_is_pseudo_call(insn) || bpf_insn_is_pseudo_func(insn))
		return bpf_find_subprog(env, i + 1 + (u32)insn->imm);
	return -ENOENT;
}

/* All calls that functions make as the frame of that number, with the most stack before them. */
static int check_frames(struct bpf_verifier_env *env, u32 frame)
{
	for (u32 f = 0; f < env->nr_subprogs; f++) {
		struct bpf_subprog_info *caller = &env->subprogs[f];

		if (!caller->callers_stack[frame])
			continue;
		for (u32 i = caller->start; i < caller[1].start; i++) {
			u32 bytes = caller->callers_stack[frame] + frame_bytes(caller);
			int callee = callee_of(env, i), err;
			u32 *most;

			if (callee < 0)
				continue;
			err = check_frame(env, (u32)callee, frame + 1, bytes - 1);
			if (err)
				return err;
			most = &env->subprogs[callee].callers_stack[frame + 1];
			*most = max(*most, bytes);
		}
	}
	return 0;
}

int bpf_check_max_stack_depth(struct bpf_verifier_env *env)
{
	int err = check_frame(env, 0, 0, 0);

	env->subprogs[0].callers_stack[0] = 1;
	for (u32 frame = 0; !err && frame < MAX_CALL_FRAMES; frame++)
		err = check_frames(env, frame);
	return err;
}
