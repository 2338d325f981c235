/*
 * Loads and stores: what kind of memory a pointer leads to, how much of it there is, and what a
 * load brings. check_mem_access() is for instructions, check_helper_mem_access() for memory that a
 * helper touches.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/verifier/verifier.h"

static int check_offset(struct bpf_verifier_env *env, int regno, s64 off, int size, u32 mem_size,
			bool zero_size_allowed)
{
	const struct bpf_reg_state *reg = &cur_regs(env)[regno];

	if (off >= 0 && (size > 0 || (!size && zero_size_allowed)) && off + size <= (s64)mem_size)
		return 0;
	if (reg_base(reg) == PTR_TO_MAP_KEY)
		verbose(env, "invalid access to map key, key_size=%d", mem_size);
	else if (reg_base(reg) == PTR_TO_MAP_VALUE)
		verbose(env, "invalid access to map value, value_size=%d", mem_size);
	else
		verbose(env, "invalid access to memory, mem_size=%u", mem_size);
	return refuse(env, -EACCES, " off=%d size=%d\n", (int)off, size);
}

int check_mem_region(struct bpf_verifier_env *env, int regno, int off, int size, u32 mem_size,
		     bool zero_size_allowed)
{
	const struct bpf_scalar *s = &cur_regs(env)[regno].s;

	/* The lowest and the highest place must be right; then all between them are. */
	if (s->smin < 0 && (s->smin < INT32_MIN || s->smin + off < 0))
		return refuse(
			env, -EACCES,
			"R%d min value is negative, either use unsigned index or do a if (index "
			">=0) check.\n",
			regno);
	if (s->smin >= BPF_MAX_VAR_OFF ||
	    check_offset(env, regno, s->smin + off, size, mem_size, zero_size_allowed))
		return refuse(env, -EACCES,
			      "R%d min value is outside of the allowed memory range\n", regno);
	if (s->umax >= BPF_MAX_VAR_OFF)
		return refuse(
			env, -EACCES,
			"R%d unbounded memory access, make sure to bounds check any such access\n",
			regno);
	/* LAB 18, unmarked, 1 of 6: the greatest place */
	if (check_offset(env, regno, (s64)s->umax + off, size, mem_size, zero_size_allowed))
		return refuse(env, -EACCES,
			      "R%d max value is outside of the allowed memory range\n", regno);
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
	if (size == 1 || (!strict && !env->strict_alignment && reg_base(reg) != PTR_TO_STACK))
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

static int cannot_write(struct bpf_verifier_env *env, int regno)
{
	return refuse(env, -EACCES, "R%d cannot write into %s\n", regno,
		      bpf_reg_type_str(cur_regs(env)[regno].type));
}

/* Whether programs may read, or write, the values of the map. */
static int check_map_access_type(struct bpf_verifier_env *env, const struct bpf_map *map, int off,
				 int size, bool write)
{
	if (!(map->map_flags & (write ? BPF_F_RDONLY_PROG : BPF_F_WRONLY_PROG)))
		return 0;
	return refuse(env, -EACCES, "%s map forbidden, value_size=%d off=%d size=%d\n",
		      write ? "write into" : "read from", map->value_size, off, size);
}

/* A value that never changes any more is a constant. */
static bool read_constant(const struct bpf_access *a, u64 *value)
{
	const struct bpf_map *map = a->reg->map_ptr;
	u64 address;

	if (!scalar_is_const(&a->reg->s) || !map->ops->direct_value_addr || !bpf_map_is_rdonly(map))
		return false;
	if (map->ops->direct_value_addr(map, &address, (u32)a->off + (u32)a->reg->s.umin))
		return false;
	*value = 0;
	memcpy(value, (const void *)address, (size_t)a->size);
	return true;
}

static int check_map_value_access(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	const struct bpf_map *map = a->reg->map_ptr;
	u64 value;
	int err = check_map_access_type(env, map, a->off, a->size, a->write);

	err = err ?: check_mem_region(env, a->regno, a->off, a->size, map->value_size, false);
	if (err || !a->dst)
		return err;
	if (read_constant(a, &value))
		mark_reg_known(a->dst, value);
	else
		mark_reg_unknown(a->dst);
	return 0;
}

static int check_ctx_access(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	struct bpf_insn_access_aux aux = {};
	u32 end, maybe_null;
	int err = check_ptr_off_reg(env, a->regno, false);

	if (err)
		return err;
	if (!env->ops->is_valid_access ||
	    !env->ops->is_valid_access(a->off, a->size, a->write, env->prog, &aux))
		return refuse(env, -EACCES, "invalid bpf_context access off=%d size=%d\n", a->off,
			      a->size);
	end = (u32)(a->off + (aux.kind == BPF_CTX_SCALAR ? a->size : BPF_REG_SIZE));
	env->max_ctx_offset = max(env->max_ctx_offset, end);
	env->prog->ctx_words |= a->off < 32 * 8 ? 1U << a->off / 8 : ~0U;
	if (!a->dst)
		return 0;
	env->aux[env->insn_idx].loads_pointer = aux.kind != BPF_CTX_SCALAR;
	maybe_null = aux.maybe_null ? PTR_MAYBE_NULL : 0;
	switch (aux.kind) {
	case BPF_CTX_BTF_ID:
		mark_reg_pointer(a->dst,
				 PTR_TO_BTF_ID | maybe_null | (aux.untrusted ? PTR_UNTRUSTED : 0));
		a->dst->btf_id = aux.btf_id;
		break;
	case BPF_CTX_BUF:
		mark_reg_pointer(a->dst, PTR_TO_BUF | MEM_RDONLY | maybe_null);
		break;
	default:
		mark_reg_unknown(a->dst);
		return 0;
	}
	if (maybe_null)
		a->dst->id = ++env->id_gen;
	return 0;
}

/* A buffer of an iterator: who attaches the program compares its size with the highest access. */
static int check_buffer_access(struct bpf_verifier_env *env, int regno, int off, int size)
{
	const struct bpf_reg_state *reg = &cur_regs(env)[regno];

	if (off < 0)
		return refuse(env, -EACCES, "R%d invalid %s buffer access: off=%d, size=%d\n",
			      regno, reg->type & MEM_RDONLY ? "rdonly" : "rdwr", off, size);
	if (!scalar_is_zero(&reg->s))
		return refuse(env, -EACCES,
			      "R%d invalid variable buffer offset: off=%d, var_off=" TNUM_FMT "\n",
			      regno, off, TNUM_ARGS(reg->s.var_off));
	if ((u32)(off + size) > env->prog->max_buf_access)
		env->prog->max_buf_access = (u32)(off + size);
	return 0;
}

/* Memory of which all bytes are numbers. */
static int check_plain_memory(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	const struct bpf_reg_state *reg = a->reg;
	int err;

	if (a->write && reg->type & MEM_RDONLY)
		return cannot_write(env, a->regno);
	if (reg_base(reg) == PTR_TO_MAP_KEY && a->write)
		return refuse(env, -EACCES, "write to change key R%d not allowed\n", a->regno);
	if (reg_base(reg) == PTR_TO_BUF)
		err = check_buffer_access(env, a->regno, a->off, a->size);
	else
		err = check_mem_region(env, a->regno, a->off, a->size, memory_size(reg), false);
	if (!err && a->dst)
		mark_reg_unknown(a->dst);
	return err;
}

static int check_pointer(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	u32 type = a->reg->type;

	switch (type & PTR_MAYBE_NULL ? SCALAR_VALUE : reg_base(a->reg)) {
	case PTR_TO_MAP_VALUE:
		return check_map_value_access(env, a);
	case PTR_TO_MAP_KEY:
	case PTR_TO_MEM:
	case PTR_TO_BUF:
		return check_plain_memory(env, a);
	case PTR_TO_CTX:
		return check_ctx_access(env, a);
	case PTR_TO_STACK:
		return check_stack_access(env, a);
	case PTR_TO_BTF_ID:
		return check_ptr_to_btf_access(env, a);
	case CONST_PTR_TO_MAP:
		return check_ptr_to_map_access(env, a);
	default:
		return refuse(env, -EACCES, "R%d invalid mem access '%s'\n", a->regno,
			      bpf_reg_type_str(type));
	}
}

int check_mem_access(struct bpf_verifier_env *env, struct bpf_access access)
{
	int err;

	access.reg = &cur_regs(env)[access.regno];
	err = check_ptr_alignment(env, access.reg, access.off, access.size,
				  access.strict_alignment);
	access.off += access.reg->off;
	err = err ?: check_pointer(env, &access);
	/* A load of fewer than 8 bytes clears the rest of the register. */
	if (!err && access.dst && access.size < BPF_REG_SIZE && access.dst->type == SCALAR_VALUE)
		scalar_truncate(&access.dst->s, (u8)access.size);
	return err;
}

/* The register that gets the old value of the memory; < 0: none. */
static int fetched_reg(const struct bpf_insn *insn)
{
	if (insn->imm == BPF_CMPXCHG)
		return BPF_REG_0;
	return insn->imm & BPF_FETCH ? insn->src_reg : -1;
}

static bool is_known_atomic(s32 imm)
{
	switch (imm & ~BPF_FETCH) {
	case BPF_ADD:
	case BPF_AND:
	case BPF_OR:
	case BPF_XOR:
		return true;
	default:
		return imm == BPF_XCHG || imm == BPF_CMPXCHG;
	}
}

int check_atomic(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	struct bpf_access access = bpf_access_of(insn, insn->dst_reg);
	int regno = fetched_reg(insn), err;

	if (!is_known_atomic(insn->imm))
		return refuse(env, -EINVAL, "BPF_ATOMIC uses invalid atomic opcode %02x\n",
			      insn->imm);
	if (reg_base(&cur_regs(env)[insn->dst_reg]) == PTR_TO_CTX)
		return refuse(env, -EACCES, "BPF_ATOMIC stores into R%d ctx is not allowed\n",
			      insn->dst_reg);
	/* Not by a register that it changes: the store would be looked for elsewhere. */
	if (regno >= 0)
		mark_reg_unknown(&cur_regs(env)[regno]);
	/*
	 * The memory must be such that it can be read, then read into the register, then written.
	 */
	access.strict_alignment = true;
	err = check_mem_access(env, access);
	if (!err && regno >= 0) {
		access.dst = &cur_regs(env)[regno];
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
	int err;

	if (write && (reg->type & MEM_RDONLY || reg_base(reg) == PTR_TO_MAP_KEY))
		return cannot_write(env, regno);
	switch (reg->type & PTR_MAYBE_NULL ? SCALAR_VALUE : reg_base(reg)) {
	case PTR_TO_MAP_VALUE:
		err = check_map_access_type(env, reg->map_ptr, reg->off, access_size, write);
		if (err)
			return err;
		break;
	case PTR_TO_MAP_KEY:
		zero_size_allowed = false;
		break;
	case PTR_TO_MEM:
		break;
	case PTR_TO_BUF:
		return check_buffer_access(env, regno, reg->off, access_size);
	case PTR_TO_STACK:
		return check_stack_helper_access(env, regno, reg->off, access_size,
						 zero_size_allowed, write);
	default:
		/* No bytes of NULL may be read. */
		if (zero_size_allowed && !access_size && bpf_reg_is_null(reg))
			return 0;
		verbose(env, "R%d type=%s ", regno, bpf_reg_type_str(reg->type));
		return refuse(env, -EACCES, "expected=%s\n", bpf_reg_type_str(PTR_TO_STACK));
	}
	return check_mem_region(env, regno, reg->off, access_size, memory_size(reg),
				zero_size_allowed);
}
