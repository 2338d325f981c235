/*
 * Constants of 64 bits that stand for something: a map, a value in a map, a variable of the kernel.
 * Finds what they mean. The program itself is not changed before fixup.c.
 */
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"
#include "arch/mm/uaccess.h"
#include "trace/bpf/verifier/verifier.h"

struct btf_var_secinfo {
	u32 type, offset, size;
};

/* Whether the variable is in the section of those that each CPU has. */
static bool is_percpu(const struct btf *btf, u32 var_id)
{
	for (u32 i = 1; i < btf->nr_types; i++) {
		const struct btf_type *t = btf_type_by_id(btf, i);
		const struct btf_var_secinfo *var = (const void *)(t + 1);

		if (btf_kind(t) != BTF_KIND_DATASEC ||
		    strcmp(btf_name_by_offset(btf, t->name_off), ".data..percpu"))
			continue;
		for (u32 j = 0; j < btf_vlen(t); j++)
			if (var[j].type == var_id)
				return true;
	}
	return false;
}

static int resolve_variable(struct bpf_verifier_env *env, const struct bpf_insn *insn,
			    struct bpf_insn_aux_data *aux)
{
	const struct btf_type *t;
	const char *name;
	u32 id = (u32)insn->imm;

	if (insn[1].imm)
		return refuse(env, -EINVAL, "invalid module BTF object FD specified.\n");
	if (!env->btf)
		return refuse(env, -EINVAL,
			      "kernel is missing BTF, make sure CONFIG_DEBUG_INFO_BTF=y is "
			      "specified in Kconfig.\n");
	t = id < env->btf->nr_types ? btf_type_by_id(env->btf, id) : NULL;
	if (!t)
		return refuse(env, -ENOENT, "ldimm64 insn specifies invalid btf_id %u.\n", id);
	if (btf_kind(t) != BTF_KIND_VAR)
		return refuse(env, -EINVAL, "pseudo btf_id %u in ldimm64 isn't KIND_VAR.\n", id);
	name = btf_name_by_offset(env->btf, t->name_off);
	aux->address = kallsyms_lookup_name(name);
	if (!aux->address)
		return refuse(env, -ENOENT,
			      "ldimm64 failed to find the address for kernel symbol '%s'.\n", name);
	aux->btf_id = t->type;
	t = btf_type_skip_modifiers(env->btf, t->type, NULL);
	if (is_percpu(env->btf, id)) {
		aux->reg_type = PTR_TO_BTF_ID | MEM_PERCPU;
	} else if (t && btf_kind(t) == BTF_KIND_STRUCT) {
		aux->reg_type = PTR_TO_BTF_ID;
	} else {
		aux->reg_type = PTR_TO_MEM | MEM_RDONLY;
		aux->mem_size = bpf_btf_type_size(env->btf, aux->btf_id);
		if (!aux->mem_size)
			return refuse(env, -EINVAL,
				      "ldimm64 unable to resolve the size of type '%s'\n",
				      t ? btf_name_by_offset(env->btf, t->name_off) : "void");
	}
	return 0;
}

/* A program that sleeps may only use maps whose elements do not go away meanwhile. */
static int check_map_compatible(struct bpf_verifier_env *env, const struct bpf_map *map)
{
	if (!env->prog->sleepable)
		return 0;
	switch (map->map_type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_ARRAY:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_ARRAY_OF_MAPS:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
	case BPF_MAP_TYPE_RINGBUF:
		return 0;
	default:
		return refuse(env, -EINVAL,
			      "Sleepable programs can only use array, hash, and ringbuf maps\n");
	}
}

/* Takes over the reference of the map, and keeps it for the program. */
static int use_map(struct bpf_verifier_env *env, struct bpf_map *map)
{
	struct bpf_prog *prog = env->prog;

	for (u32 i = 0; i < prog->nr_used_maps; i++) {
		if (prog->used_maps[i] == map) {
			bpf_map_put(map);
			return 0;
		}
	}
	if (prog->nr_used_maps == MAX_USED_MAPS) {
		bpf_map_put(map);
		return -E2BIG;
	}
	prog->used_maps[prog->nr_used_maps++] = map;
	return 0;
}

static int get_map_fd(struct bpf_verifier_env *env, const struct bpf_insn *insn, int *fd)
{
	u64 fd_array = env->attr->fd_array;

	*fd = insn->imm;
	if (insn->src_reg == BPF_PSEUDO_MAP_FD || insn->src_reg == BPF_PSEUDO_MAP_VALUE)
		return 0;
	if (!fd_array)
		return refuse(env, -EPROTO, "fd_idx without fd_array is invalid\n");
	if (copy_from_user(fd, (const void __user *)(fd_array + (u64)(u32)insn->imm * sizeof(*fd)),
			   sizeof(*fd)))
		return -EFAULT;
	return 0;
}

static int resolve_map(struct bpf_verifier_env *env, const struct bpf_insn *insn,
		       struct bpf_insn_aux_data *aux)
{
	bool is_value =
		insn->src_reg == BPF_PSEUDO_MAP_VALUE || insn->src_reg == BPF_PSEUDO_MAP_IDX_VALUE;
	struct bpf_map *map;
	u64 address;
	int fd, err;

	if (!is_value && insn[1].imm)
		return refuse(env, -EINVAL, "unrecognized bpf_ld_imm64 insn\n");
	err = get_map_fd(env, insn, &fd);
	if (err)
		return err;
	map = bpf_map_get_fd(fd);
	if (IS_ERR(map)) {
		verbose(env, "fd %d is not pointing to valid bpf_map\n", fd);
		return (int)PTR_ERR(map);
	}
	err = use_map(env, map);
	if (!err)
		err = check_map_compatible(env, map);
	if (err)
		return err;
	aux->map = map;
	aux->reg_type = is_value ? PTR_TO_MAP_VALUE : CONST_PTR_TO_MAP;
	aux->address = (u64)(uintptr_t)map;
	if (!is_value)
		return 0;
	aux->map_off = (u32)insn[1].imm;
	if (aux->map_off >= BPF_MAX_VAR_OFF)
		return refuse(env, -EINVAL, "direct value offset of %u is not allowed\n",
			      aux->map_off);
	if (!map->ops->direct_value_addr)
		return refuse(env, -EINVAL, "no direct value access support for this map type\n");
	err = map->ops->direct_value_addr(map, &address, aux->map_off);
	if (err)
		verbose(env, "invalid access to map value pointer, value_size=%u off=%u\n",
			map->value_size, aux->map_off);
	aux->address = address;
	return err;
}

int bpf_resolve_pseudo_ldimm64(struct bpf_verifier_env *env)
{
	for (u32 i = 0; i < env->prog->len; i++) {
		const struct bpf_insn *insn = &env->insns[i];
		int err = 0;

		if (!bpf_insn_is_ld_imm64(insn))
			continue;
		if (fatal_signal_pending(current)) /* names take time to find */
			return -EAGAIN;
		switch (insn->src_reg) {
		case 0:
		case BPF_PSEUDO_FUNC:
			break;
		case BPF_PSEUDO_BTF_ID:
			err = resolve_variable(env, insn, &env->aux[i]);
			break;
		case BPF_PSEUDO_MAP_FD:
		case BPF_PSEUDO_MAP_VALUE:
		case BPF_PSEUDO_MAP_IDX:
		case BPF_PSEUDO_MAP_IDX_VALUE:
			err = resolve_map(env, insn, &env->aux[i]);
			break;
		default:
			verbose(env, "unrecognized bpf_ld_imm64 insn\n");
			err = -EINVAL;
		}
		if (err)
			return err;
		i++;
	}
	return 0;
}
