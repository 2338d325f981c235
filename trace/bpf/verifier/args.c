/*
 * Arguments of calls: whether a register is what the helper's prototype asks for.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/verifier/verifier.h"

/* The kinds of registers that will do, up to the first 0. */
typedef u32 reg_types[8];

static const reg_types types_of_arg[__BPF_ARG_TYPE_MAX] = {
	[ARG_CONST_MAP_PTR] = { CONST_PTR_TO_MAP },
	[ARG_PTR_TO_MAP_KEY] = { PTR_TO_STACK, PTR_TO_MAP_KEY, PTR_TO_MAP_VALUE },
	[ARG_PTR_TO_MAP_VALUE] = { PTR_TO_STACK, PTR_TO_MAP_KEY, PTR_TO_MAP_VALUE },
	[ARG_PTR_TO_MEM] = { PTR_TO_STACK, PTR_TO_MAP_KEY, PTR_TO_MAP_VALUE, PTR_TO_MEM,
			     PTR_TO_MEM | MEM_ALLOC, PTR_TO_BUF },
	[ARG_CONST_SIZE] = { SCALAR_VALUE },
	[ARG_CONST_SIZE_OR_ZERO] = { SCALAR_VALUE },
	[ARG_CONST_ALLOC_SIZE_OR_ZERO] = { SCALAR_VALUE },
	[ARG_PTR_TO_CTX] = { PTR_TO_CTX },
	[ARG_PTR_TO_ALLOC_MEM] = { PTR_TO_MEM | MEM_ALLOC },
	[ARG_PTR_TO_BTF_ID] = { PTR_TO_BTF_ID },
	[ARG_PTR_TO_LONG] = { PTR_TO_STACK, PTR_TO_MAP_VALUE, PTR_TO_MEM, PTR_TO_MEM | MEM_ALLOC },
	[ARG_PTR_TO_STACK] = { PTR_TO_STACK },
	[ARG_PTR_TO_FUNC] = { PTR_TO_FUNC },
	[ARG_PTR_TO_CONST_STR] = { PTR_TO_MAP_VALUE },
};
static int check_btf_arg(struct bpf_verifier_env *env, u32 arg, const struct bpf_call *call)
{
	const struct bpf_reg_state *reg = &cur_regs(env)[BPF_REG_1 + arg];
	struct bpf_insn_aux_data *aux = &env->aux[env->insn_idx];
	const char *want = call->proto->arg_btf_name[arg];

	/* A prototype asks for one kind of structure only. */
	if (!aux->arg_btf_id)
		aux->arg_btf_id = bpf_btf_find_struct(env->btf, want);
	if (aux->arg_btf_id &&
	    btf_struct_ids_match(env->btf, reg->btf_id, reg->off, aux->arg_btf_id))
		return 0;
	return refuse(env, -EACCES, "R%d is of type %s but %s is expected\n", BPF_REG_1 + arg,
		      bpf_btf_type_name(env->btf, reg->btf_id), want);
}

static int check_reg_type(struct bpf_verifier_env *env, u32 arg, const struct bpf_call *call)
{
	const struct bpf_reg_state *reg = &cur_regs(env)[BPF_REG_1 + arg];
	u32 arg_type = call->proto->arg_type[arg], type = reg->type;
	const u32 *types = types_of_arg[arg_type & BPF_ARG_BASE];
	u32 n;

	if (arg_type & ARG_MEM_RDONLY)
		type &= ~(u32)MEM_RDONLY;
	for (n = 0; types[n]; n++) {
		if (types[n] == type)
			return type == PTR_TO_BTF_ID ? check_btf_arg(env, arg, call) : 0;
	}
	verbose(env, "R%d type=%s expected=", BPF_REG_1 + arg, bpf_reg_type_str(reg->type));
	for (u32 i = 0; i < n; i++)
		verbose(env, "%s%s", bpf_reg_type_str(types[i]), i + 1 < n ? ", " : "\n");
	return -EACCES;
}

/* Pointers to memory may have moved, within it; others must be as they were given. */
static int check_arg_offset(struct bpf_verifier_env *env, int regno, u32 arg_type)
{
	u32 base = reg_base(&cur_regs(env)[regno]);
	bool is_memory = base == PTR_TO_STACK || base == PTR_TO_MAP_KEY ||
			 base == PTR_TO_MAP_VALUE || base == PTR_TO_MEM || base == PTR_TO_BUF;

	if (base == SCALAR_VALUE ||
	    (is_memory && (arg_type & BPF_ARG_BASE) != ARG_PTR_TO_ALLOC_MEM))
		return 0;
	return check_ptr_off_reg(env, regno, base == PTR_TO_BTF_ID);
}

/* The size of the memory that the argument before points to. */
static int check_mem_size_reg(struct bpf_verifier_env *env, int regno, bool zero_size_allowed,
			      bool write, struct bpf_call *call)
{
	const struct bpf_scalar *s = &cur_regs(env)[regno].s;
	int err;

	call->max_size = s->whole.umax;
	if (s->whole.smin < 0)
		return refuse(env, -EACCES,
			      "R%d min value is negative, either use unsigned or 'var &= const'\n",
			      regno);
	if (!s->whole.umin) {
		err = check_helper_mem_access(env, regno - 1, 0, zero_size_allowed, write);
		if (err)
			return err;
	}
	if (s->whole.umax >= BPF_MAX_VAR_SIZ)
		return refuse(
			env, -EACCES,
			"R%d unbounded memory access, use 'var &= const' or 'if (var < const)'\n",
			regno);
	mark_precise(&cur_regs(env)[regno]);
	/*
	 * LAB 18, unmarked, 6 of 6: a size that is not known. Starts as:
	 *	return check_helper_mem_access(env, regno - 1, (int)s->whole.umin,
	 *				       zero_size_allowed, write);
	 */
	return check_helper_mem_access(env, regno - 1, (int)s->whole.umax, zero_size_allowed,
				       write);
	/* END LAB 18 */
}

/* Text in a map that nobody changes any more. */
static int check_const_str(struct bpf_verifier_env *env, int regno)
{
	const struct bpf_reg_state *reg = &cur_regs(env)[regno];
	const struct bpf_map *map = reg->map_ptr;
	u32 off = (u32)reg->off + (u32)reg->s.var_off.value;
	u64 address;
	int err;

	if (!bpf_map_is_rdonly(map))
		return refuse(env, -EACCES, "R%d does not point to a readonly map'\n", regno);
	if (!tnum_is_const(reg->s.var_off))
		return refuse(env, -EACCES, "R%d is not a constant address'\n", regno);
	if (!map->ops->direct_value_addr)
		return refuse(env, -EACCES, "no direct value access support for this map type\n");
	err = check_helper_mem_access(env, regno, 1, false, false);
	if (err)
		return err;
	err = map->ops->direct_value_addr(map, &address, off);
	if (err)
		return refuse(env, err, "direct value access on string failed\n");
	if (!memchr((const void *)address, 0, map->value_size - off))
		return refuse(env, -EINVAL, "string is not zero-terminated\n");
	return 0;
}

static int check_alloc_size(struct bpf_verifier_env *env, int regno, struct bpf_call *call)
{
	const struct bpf_reg_state *reg = &cur_regs(env)[regno];

	if (!tnum_is_const(reg->s.var_off) || reg->s.whole.umax >= BPF_MAX_VAR_SIZ)
		return refuse(env, -EACCES, "R%d is not a known constant'\n", regno);
	call->mem_size = (u32)reg->s.whole.umax;
	mark_precise(reg);
	return 0;
}

/* What the base of the argument's type asks beyond the kind of the register. */
static int check_arg_value(struct bpf_verifier_env *env, u32 arg, struct bpf_call *call)
{
	int regno = (int)(BPF_REG_1 + arg);
	const struct bpf_reg_state *reg = &cur_regs(env)[regno];
	u32 arg_type = call->proto->arg_type[arg];
	bool write;

	switch (arg_type & BPF_ARG_BASE) {
	case ARG_CONST_MAP_PTR:
		call->map = reg->map_ptr;
		return 0;
	case ARG_PTR_TO_MAP_KEY:
		return check_helper_mem_access(env, regno, (int)call->map->key_size, false, false);
	case ARG_PTR_TO_MAP_VALUE:
		/* pop and peek write the value; peek at a Bloom filter reads it, as update does. */
		write = arg_type & ARG_MEM_UNINIT &&
			call->map->map_type != BPF_MAP_TYPE_BLOOM_FILTER;
		return check_helper_mem_access(env, regno, (int)call->map->value_size, false,
					       write);
	case ARG_PTR_TO_MEM:
		return 0; /* the next argument is the size */
	case ARG_PTR_TO_LONG:
		return check_helper_mem_access(env, regno, 8, false, true)
			       ?: check_ptr_alignment(env, reg, 0, 8, true);
	case ARG_PTR_TO_ALLOC_MEM:
		if (!reg->ref_obj_id)
			return refuse(env, -EINVAL,
				      "R%d must be referenced when passed to release function\n",
				      regno);
		call->releases = reg->ref_obj_id;
		return 0;
	case ARG_CONST_SIZE:
	case ARG_CONST_SIZE_OR_ZERO:
		/* A helper that does not say that it only reads is taken to write. */
		write = !(call->proto->arg_type[arg - 1] & ARG_MEM_RDONLY);
		return check_mem_size_reg(env, regno,
					  (arg_type & BPF_ARG_BASE) == ARG_CONST_SIZE_OR_ZERO,
					  write, call);
	case ARG_CONST_ALLOC_SIZE_OR_ZERO:
		return check_alloc_size(env, regno, call);
	case ARG_PTR_TO_FUNC:
		call->subprogno = reg->subprogno;
		return 0;
	case ARG_PTR_TO_CONST_STR:
		return check_const_str(env, regno);
	default:
		return 0;
	}
}

int check_func_arg(struct bpf_verifier_env *env, u32 arg, struct bpf_call *call)
{
	u32 arg_type = call->proto->arg_type[arg], base = arg_type & BPF_ARG_BASE;
	int regno = (int)(BPF_REG_1 + arg), err;

	if (base == ARG_DONTCARE)
		return 0;
	err = check_reg_read(env, (u32)regno);
	/* It may be the address for probe_read_kernel(). */
	if (cur_regs(env)[regno].type == PTR_TO_CTX)
		env->prog->ctx_words = ~0U;
	if (err || base == ARG_ANYTHING)
		return err;
	if (bpf_reg_is_null(&cur_regs(env)[regno]) && arg_type & ARG_MAYBE_NULL) {
		mark_precise(&cur_regs(env)[regno]); /* another number would be an address */
		return 0; /* its size, if it has one, must be 0: check_helper_mem_access() */
	}
	return check_reg_type(env, arg, call)
		       ?: check_arg_offset(env, regno, arg_type)
		       ?: check_arg_value(env, arg, call);
}

/* Memory of a fixed size, or NULL: the function compares it itself. */
static int check_global_mem(struct bpf_verifier_env *env, int regno, u32 size)
{
	struct bpf_reg_state *reg = &cur_regs(env)[regno], saved = *reg;
	int err = check_arg_offset(env, regno, ARG_PTR_TO_MEM);

	if (err)
		return err;
	if (bpf_reg_is_null(reg)) {
		mark_precise(reg);
		return 0;
	}
	learn_null(reg, false); /* the element of a map of maps is no memory then, but a map */
	err = check_helper_mem_access(env, regno, (int)size, true, true);
	*reg = saved;
	return err ? -EINVAL : 0;
}

static int check_global_arg(struct bpf_verifier_env *env, u32 i, const struct bpf_func_arg *arg)
{
	int regno = (int)(BPF_REG_1 + i), err;
	const struct bpf_reg_state *reg = &cur_regs(env)[regno];

	err = check_reg_read(env, (u32)regno);
	if (err)
		return err;
	switch (arg->kind) {
	case BPF_FUNC_ARG_SCALAR:
		if (reg->type == SCALAR_VALUE)
			return 0;
		return refuse(env, -EINVAL, "R%d is not a scalar\n", regno);
	case BPF_FUNC_ARG_CTX:
		err = check_arg_offset(env, regno, ARG_PTR_TO_CTX);
		if (err || reg->type == PTR_TO_CTX)
			return err;
		return refuse(env, -EINVAL, "arg#%d expected pointer to ctx, but got PTR\n", i);
	default:
		return check_global_mem(env, regno, arg->mem_size);
	}
}

int check_global_args(struct bpf_verifier_env *env, u32 subprogno)
{
	struct bpf_func_arg args[MAX_BPF_FUNC_REG_ARGS];
	u32 count;
	int err = bpf_get_func_args(env, subprogno, args, &count);

	for (u32 i = 0; !err && i < count; i++)
		err = check_global_arg(env, i, &args[i]);
	return err;
}
