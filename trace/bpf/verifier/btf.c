/*
 * Loads from structures of the kernel. The verifier knows the type that a pointer leads to, and
 * walks its members by BTF to the one that lies at the offset. A member that is a pointer to a
 * structure makes the register such a pointer again, so programs follow chains as C does.
 *
 * Nothing says that such a pointer is not NULL, or that its structure still exists. So each of
 * these loads becomes PROBE_MEM (fixup.c): at an address that is not mapped it reads 0. And a
 * pointer that was loaded is untrusted: no helper takes it, because a helper would believe it.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/verifier/verifier.h"

/* A load from a structure of type id: what the register becomes. */
static int load_member(struct bpf_verifier_env *env, u32 id, const struct bpf_access *a)
{
	u32 next = 0, flags = 0;
	int result = btf_struct_access(env->log, env->btf, id, a->off, a->size, &next, &flags);

	if (result < 0 || !a->dst)
		return min(result, 0);
	if (result == BPF_MEMBER_SCALAR) {
		mark_reg_unknown(a->dst);
		return 0;
	}
	mark_reg_pointer(a->dst, PTR_TO_BTF_ID | PTR_UNTRUSTED | flags);
	a->dst->btf_id = next;
	return 0;
}

/* The text of maps is Linux's, which knows what is around a struct bpf_map. */
static const char *struct_name(struct bpf_verifier_env *env, const struct bpf_reg_state *reg)
{
	if (reg_base(reg) == PTR_TO_BTF_ID)
		return bpf_btf_type_name(env->btf, reg->btf_id);
	return reg->map_ptr->map_type == BPF_MAP_TYPE_ARRAY ? "bpf_array" : "bpf_map";
}

int check_ptr_to_btf_access(struct bpf_verifier_env *env, const struct bpf_access *a)
{
	const struct bpf_reg_state *reg = a->reg;
	bool is_map = reg_base(reg) == CONST_PTR_TO_MAP, trusted;
	const char *name = struct_name(env, reg), *ptr = is_map ? "" : "ptr_";
	int err;

	if (is_map && !env->map_btf_id)
		env->map_btf_id = bpf_btf_find_struct(env->btf, "bpf_map");
	if (is_map && !env->map_btf_id)
		return refuse(env, -ENOTSUPP,
			      "map_ptr access not supported without CONFIG_DEBUG_INFO_BTF\n");
	if (a->off < 0)
		return refuse(env, -EACCES, "R%d is %s%s invalid negative access: off=%d\n",
			      a->regno, ptr, name, a->off);
	if (!scalar_is_zero(&reg->s))
		return refuse(env, -EACCES,
			      "R%d is ptr_%s invalid variable offset: off=%d, var_off=" TNUM_FMT
			      "\n",
			      a->regno, name, a->off, TNUM_ARGS(reg->s.var_off));
	if (reg->type & (MEM_USER | MEM_PERCPU))
		return refuse(env, -EACCES, "R%d is ptr_%s access %s memory: off=%d\n", a->regno,
			      name, reg->type & MEM_USER ? "user" : "percpu", a->off);
	if (a->write)
		return refuse(env, -EACCES, "only read%s%s is supported\n", is_map ? " from " : "",
			      is_map ? name : "");
	/*
	 * What the kernel passes to an iterator by this structure lives as long as the iterator
	 * runs.
	 */
	trusted = !(reg->type & PTR_UNTRUSTED) && !strcmp(name, "bpf_iter_meta");
	err = load_member(env, is_map ? env->map_btf_id : reg->btf_id, a);
	if (!err && trusted && a->dst)
		a->dst->type &= ~(u32)PTR_UNTRUSTED;
	return err;
}
