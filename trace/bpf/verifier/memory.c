/*
 * Loads and stores: what kind of memory a pointer leads to, how much of it there is, and what a
 * load brings. check_mem_access() is for instructions, check_helper_mem_access() for memory that a
 * helper touches.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/verifier/verifier.h"

static int check_offset(struct bpf_verifier_env *env, const struct bpf_access *a, s64 off,
			u32 mem_size)
{
	u32 base = reg_base(a->reg);
	const char *what = base == PTR_TO_MAP_KEY     ? "map key, key"
			   : base == PTR_TO_MAP_VALUE ? "map value, value"
						      : "memory, mem";

	if (off >= 0 && (a->size > 0 || (!a->size && a->zero_size_allowed)) &&
	    off + a->size <= (s64)mem_size)
		return 0;
	return refuse(env, -EACCES, "invalid access to %s_size=%u off=%d size=%d\n", what, mem_size,
		      (int)off, a->size);
}

/* Whether the access lies in mem_size bytes. */
static int check_mem_region(struct bpf_verifier_env *env, const struct bpf_access *a, u32 mem_size)
{
	const struct bpf_scalar *s = &a->reg->s;

	/* The lowest and the highest place must be right; then all between them are. */
	if (s->whole.smin < 0 && (s->whole.smin < INT32_MIN || s->whole.smin + a->off < 0))
		return refuse(
			env, -EACCES,
			"R%d min value is negative, either use unsigned index or do a if (index "
			">=0) check.\n",
			a->regno);
	if (s->whole.smin >= BPF_MAX_VAR_OFF ||
	    check_offset(env, a, s->whole.smin + a->off, mem_size))
		return refuse(env, -EACCES,
			      "R%d min value is outside of the allowed memory range\n", a->regno);
	if (s->whole.umax >= BPF_MAX_VAR_OFF)
		return refuse(
			env, -EACCES,
			"R%d unbounded memory access, make sure to bounds check any such access\n",
			a->regno);
	/* LAB 18, unmarked, 1 of 6: the greatest place */
	if (check_offset(env, a, (s64)s->whole.umax + a->off, mem_size))
		return refuse(env, -EACCES,
			      "R%d max value is outside of the allowed memory range\n", a->regno);
	/* END LAB 18 */
	return 0;
}

int check_ptr_alignment(struct bpf_verifier_env *env, const struct bpf_reg_state *reg, int off,
			int size, bool strict)
{
	static const char *const names[PTR_TO_FUNC + 1] = {
		[PTR_TO_MAP_KEY] = "key ",
		[PTR_TO_MAP_VALUE] = "value ",
		[PTR_TO_CTX] = "context ",
		[PTR_TO_STACK] = "stack ",
	};
	const char *name = names[reg_base(reg)];
	struct tnum sum;

	/* Slots of the stack are kept for aligned accesses only. */
	strict |= (env->attr->prog_flags & BPF_F_STRICT_ALIGNMENT) != 0;
	if (size == 1 || (!strict && reg_base(reg) != PTR_TO_STACK))
		return 0;
	sum = tnum_add(reg->s.var_off, tnum_const((u64)(s64)(reg->off + off)));
	if (tnum_is_aligned(sum, (u64)size))
		return 0;
	return refuse(env, -EACCES, "misaligned %saccess off " TNUM_FMT "+%d+%d size %d\n",
		      name ?: "", TNUM_ARGS(reg->s.var_off), reg->off, off, size);
}

int check_ptr_off_reg(struct bpf_verifier_env *env, int regno, bool fixed_off_ok)
{
	const struct bpf_reg_state *reg = &cur_regs(env)[regno];
	const char *type = bpf_reg_type_str(reg->type);

	if (reg->off < 0)
		return refuse(env, -EACCES, "negative offset %s ptr R%d off=%d disallowed\n", type,
			      regno, reg->off);
	if (!fixed_off_ok && reg->off)
		return refuse(env, -EACCES,
			      "dereference of modified %s ptr R%d off=%d disallowed\n", type, regno,
			      reg->off);
	if (!scalar_is_zero(&reg->s))
		return refuse(env, -EACCES, "variable %s access var_off=" TNUM_FMT " disallowed\n",
			      type, TNUM_ARGS(reg->s.var_off));
	return 0;
}

/* The bytes of the memory that a pointer of these types leads to. */
static u32 memory_size(const struct bpf_reg_state *reg)
{
	if (reg_base(reg) == PTR_TO_MAP_KEY)
		return reg->map_ptr->key_size;
	return reg_base(reg) == PTR_TO_MAP_VALUE ? reg->map_ptr->value_size : reg->mem_size;
}

static int check_writable(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	bool is_key = reg_base(a->reg) == PTR_TO_MAP_KEY;

	if (is_key && !a->by_helper)
		return refuse(env, -EACCES, "write to change key R%d not allowed\n", a->regno);
	if (is_key || a->reg->type & MEM_RDONLY)
		return refuse(env, -EACCES, "R%d cannot write into %s\n", a->regno,
			      bpf_reg_type_str(a->reg->type));
	return 0;
}

/* Whether programs may read, or write, the values of the map. */
static int check_map_rights(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	const struct bpf_map *map = a->reg->map_ptr;

	if (!(map->map_flags & (a->write ? BPF_F_RDONLY_PROG : BPF_F_WRONLY_PROG)))
		return 0;
	return refuse(env, -EACCES, "%s map forbidden, value_size=%d off=%d size=%d\n",
		      a->write ? "write into" : "read from", map->value_size, a->off, a->size);
}

/* A value that never changes any more is a constant. */
static bool read_constant(const struct bpf_access *a, u64 *value)
{
	const struct bpf_map *map = a->reg->map_ptr;
	u64 address;

	if (!tnum_is_const(a->reg->s.var_off) || !map->ops->direct_value_addr ||
	    !bpf_map_is_rdonly(map))
		return false;
	if (map->ops->direct_value_addr(map, &address, (u32)a->off + (u32)a->reg->s.whole.umin))
		return false;
	*value = 0;
	memcpy(value, (const void *)address, (size_t)a->size);
	return true;
}

/* A buffer of an iterator: who attaches the program compares its size with the highest access. */
static int check_buffer_access(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	u32 *most = &env->prog->max_buf_access;

	if (a->off < 0)
		return refuse(env, -EACCES, "R%d invalid %s buffer access: off=%d, size=%d\n",
			      a->regno, a->reg->type & MEM_RDONLY ? "rdonly" : "rdwr", a->off,
			      a->size);
	if (!scalar_is_zero(&a->reg->s))
		return refuse(env, -EACCES,
			      "R%d invalid variable buffer offset: off=%d, var_off=" TNUM_FMT "\n",
			      a->regno, a->off, TNUM_ARGS(a->reg->s.var_off));
	*most = max(*most, (u32)(a->off + a->size));
	return 0;
}

/* Memory of which all bytes are numbers: of maps, records and iterators. */
static int check_numbers(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	bool is_value = reg_base(a->reg) == PTR_TO_MAP_VALUE;
	int err = a->write ? check_writable(env, a) : 0;
	u64 value;

	if (!err && is_value)
		err = check_map_rights(env, a);
	if (!err && reg_base(a->reg) == PTR_TO_BUF)
		err = check_buffer_access(env, a);
	else if (!err)
		err = check_mem_region(env, a, memory_size(a->reg));
	if (err || !a->dst)
		return err;
	if (is_value && read_constant(a, &value))
		mark_reg_known(a->dst, value);
	else
		mark_reg_unknown(a->dst);
	return 0;
}

static int check_ctx_access(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	struct bpf_insn_access_aux aux = {};
	struct bpf_prog *prog = env->prog;
	bool is_pointer;
	u32 type;
	int err = check_ptr_off_reg(env, a->regno, false);

	if (err)
		return err;
	if (!prog->ops->is_valid_access ||
	    !prog->ops->is_valid_access(a->off, a->size, a->write, prog, &aux))
		return refuse(env, -EACCES, "invalid bpf_context access off=%d size=%d\n", a->off,
			      a->size);
	is_pointer = aux.kind != BPF_CTX_SCALAR;
	prog->max_ctx_offset =
		max(prog->max_ctx_offset, (u32)(a->off + (is_pointer ? BPF_REG_SIZE : a->size)));
	prog->ctx_words |= a->off < 32 * 8 ? 1U << a->off / 8 : ~0U;
	if (!a->dst)
		return 0;
	env->aux[env->insn_idx].loads_pointer = is_pointer;
	if (!is_pointer) {
		mark_reg_unknown(a->dst);
		return 0;
	}
	type = aux.kind == BPF_CTX_BUF ? PTR_TO_BUF | MEM_RDONLY : PTR_TO_BTF_ID;
	mark_reg_pointer(a->dst, type | (aux.maybe_null ? PTR_MAYBE_NULL : 0) |
					 (aux.untrusted ? PTR_UNTRUSTED : 0));
	a->dst->btf_id = aux.btf_id;
	a->dst->id = aux.maybe_null ? ++env->id_gen : 0;
	return 0;
}

static int check_pointer(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	const char *type = bpf_reg_type_str(a->reg->type);
	u32 base = a->reg->type & PTR_MAYBE_NULL ? SCALAR_VALUE : reg_base(a->reg);

	if (base == PTR_TO_MAP_VALUE || base == PTR_TO_MAP_KEY || base == PTR_TO_MEM ||
	    base == PTR_TO_BUF)
		return check_numbers(env, a);
	if (base == PTR_TO_STACK)
		return check_stack_access(env, a);
	if (a->by_helper) {
		/* No bytes of NULL may be read. */
		if (a->zero_size_allowed && !a->size && bpf_reg_is_null(a->reg))
			return 0;
		return refuse(env, -EACCES, "R%d type=%s expected=fp\n", a->regno, type);
	}
	if (base == PTR_TO_CTX)
		return check_ctx_access(env, a);
	if (base == PTR_TO_BTF_ID || base == CONST_PTR_TO_MAP)
		return check_ptr_to_btf_access(env, a);
	return refuse(env, -EACCES, "R%d invalid mem access '%s'\n", a->regno, type);
}

/* Whether the instruction is rewritten in a way that depends on the kind of the pointer. */
static bool is_special_pointer(u32 type)
{
	u32 base = type & BPF_REG_TYPE_BASE;

	return base == PTR_TO_CTX || base == PTR_TO_BTF_ID || base == CONST_PTR_TO_MAP;
}

/* All ways to an instruction must agree on the kind of its pointer. */
static int note_pointer_type(struct bpf_verifier_env *env, u32 type)
{
	u32 *noted = &env->aux[env->insn_idx].mem_type;

	type &= ~(u32)PTR_UNTRUSTED; /* loads by both are the same */
	if (*noted == NOT_INIT)
		*noted = type;
	else if (*noted != type && (is_special_pointer(*noted) || is_special_pointer(type)))
		return refuse(env, -EINVAL, "same insn cannot be used with different pointers\n");
	return 0;
}

int check_mem_access(struct bpf_verifier_env *env, struct bpf_access access)
{
	u32 type = cur_regs(env)[access.regno].type;
	int err;

	access.reg = &cur_regs(env)[access.regno];
	err = check_ptr_alignment(env, access.reg, access.off, access.size,
				  access.strict_alignment);
	access.off += access.reg->off;
	err = err ?: check_pointer(env, &access);
	/* A load of fewer than 8 bytes clears the rest of the register. */
	if (!err && access.dst && access.size < BPF_REG_SIZE && access.dst->type == SCALAR_VALUE)
		scalar_truncate(&access.dst->s, (u8)access.size);
	return err ?: note_pointer_type(env, type);
}

static bool is_known_atomic(s32 imm)
{
	s32 op = imm & ~BPF_FETCH;

	return op == BPF_ADD || op == BPF_AND || op == BPF_OR || op == BPF_XOR || imm == BPF_XCHG ||
	       imm == BPF_CMPXCHG;
}

int check_atomic(struct bpf_verifier_env *env, const struct bpf_insn *insn,
		 struct bpf_access access)
{
	struct bpf_reg_state *fetched = NULL;
	u16 use, def;
	int err;

	if (!is_known_atomic(insn->imm))
		return refuse(env, -EINVAL, "BPF_ATOMIC uses invalid atomic opcode %02x\n",
			      insn->imm);
	if (reg_base(&cur_regs(env)[insn->dst_reg]) == PTR_TO_CTX)
		return refuse(env, -EACCES, "BPF_ATOMIC stores into R%d ctx is not allowed\n",
			      insn->dst_reg);
	bpf_insn_regs(env, env->insn_idx, &use, &def);
	if (def) {
		fetched = &cur_regs(env)[__builtin_ctz(def)];
		/* Not by a register that it changes: the store would be looked for elsewhere. */
		mark_reg_unknown(fetched);
	}
	/*
	 * The memory must be such that it can be read, then read into the register, then written.
	 */
	access.strict_alignment = true;
	err = check_mem_access(env, access);
	if (!err && fetched) {
		access.dst = fetched;
		err = check_mem_access(env, access);
		access.dst = NULL;
	}
	access.write = true;
	return err ?: check_mem_access(env, access);
}

int check_helper_mem_access(struct bpf_verifier_env *env, int regno, int access_size,
			    bool zero_size_allowed, bool write)
{
	const struct bpf_reg_state *reg = &cur_regs(env)[regno];
	struct bpf_access access = {
		.regno = regno,
		.off = reg->off,
		.size = access_size,
		.write = write,
		.by_helper = true,
		.zero_size_allowed = zero_size_allowed && reg_base(reg) != PTR_TO_MAP_KEY,
		.reg = reg,
	};

	return check_pointer(env, &access);
}
