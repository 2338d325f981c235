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

/* typedef of a typedef …; arrays of arrays: deeper ones have no size. */
#define MAX_DEPTH 32

static bool is_struct(const struct btf_type *t)
{
	return t && (btf_kind(t) == BTF_KIND_STRUCT || btf_kind(t) == BTF_KIND_UNION);
}

static const struct btf_member *members(const struct btf_type *t)
{
	return (const struct btf_member *)(t + 1);
}

static u32 member_bit_offset(const struct btf_type *t, const struct btf_member *m)
{
	return btf_kflag(t) ? m->offset & 0xffffff : m->offset;
}

static u32 member_bitfield_size(const struct btf_type *t, const struct btf_member *m)
{
	return btf_kflag(t) ? m->offset >> 24 : 0;
}

static const char *type_name(const struct btf *btf, const struct btf_type *t)
{
	return btf_name_by_offset(btf, t->name_off);
}

u32 bpf_btf_find_struct(const struct btf *btf, const char *name)
{
	for (u32 id = 1; btf && id < btf->nr_types; id++) {
		const struct btf_type *t = btf_type_by_id(btf, id);

		if (t && btf_kind(t) == BTF_KIND_STRUCT && !strcmp(type_name(btf, t), name))
			return id;
	}
	return 0;
}

/* A type that may be an array of arrays: *count elements of the type *elem with *size bytes. */
static bool resolve_array(const struct btf *btf, u32 id, u32 *elem, u32 *size, u64 *count)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, id, elem);

	*count = 1;
	for (int depth = 0; t && btf_kind(t) == BTF_KIND_ARRAY; depth++) {
		const struct btf_array *array = btf_array(t);

		if (depth == MAX_DEPTH || *count > BPF_MAX_VAR_SIZ)
			return false;
		*count *= array->nelems;
		t = btf_type_skip_modifiers(btf, array->type, elem);
	}
	if (!t)
		return false;
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		*size = sizeof(void *);
		return true;
	case BTF_KIND_INT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FLOAT:
		*size = t->size;
		return true;
	default:
		return false;
	}
}

u32 bpf_btf_type_size(const struct btf *btf, u32 id)
{
	u32 elem, size;
	u64 count;

	if (!resolve_array(btf, id, &elem, &size, &count) || count > BPF_MAX_VAR_SIZ ||
	    count * size >= BPF_MAX_VAR_SIZ)
		return 0;
	return (u32)count * size;
}

/* What lies at an offset of a structure. */
enum walk_result { WALK_SCALAR, WALK_PTR, WALK_STRUCT };

/* env NULL: says nothing. */
#define explain(env, ...)                                                                          \
	do {                                                                                       \
		if (env)                                                                           \
			verbose(env, __VA_ARGS__);                                                 \
	} while (0)

/* A structure may end with an array of unknown length: *off becomes the offset in one element. */
static const struct btf_type *flexible_element(const struct btf *btf, const struct btf_type *t,
					       int *off)
{
	const struct btf_member *last = members(t) + btf_vlen(t) - 1;
	const struct btf_type *array, *elem;
	int start;

	if (!btf_vlen(t))
		return NULL;
	array = btf_type_skip_modifiers(btf, last->type, NULL);
	start = (int)(member_bit_offset(t, last) / 8);
	if (!array || btf_kind(array) != BTF_KIND_ARRAY || btf_array(array)->nelems || *off < start)
		return NULL;
	elem = btf_type_skip_modifiers(btf, btf_array(array)->type, NULL);
	if (is_struct(elem) && elem->size)
		*off = (*off - start) % (int)elem->size;
	return elem;
}

/* A pointer member: to a structure of type *next with *flags, or a number. */
static enum walk_result pointer_target(const struct btf *btf, const struct btf_type *ptr, u32 *next,
				       u32 *flags)
{
	const struct btf_type *t = btf_type_by_id(btf, ptr->type);

	*flags = 0;
	if (t && btf_kind(t) == BTF_KIND_TYPE_TAG) {
		const char *tag = type_name(btf, t);

		*flags = !strcmp(tag, "user") ? MEM_USER : !strcmp(tag, "percpu") ? MEM_PERCPU : 0;
	}
	t = btf_type_skip_modifiers(btf, ptr->type, next);
	return is_struct(t) ? WALK_PTR : WALK_SCALAR;
}

/*
 * Looks for what an access to size bytes at off touches in structure t: a number, a pointer to a
 * structure, or the first byte of a structure inside. < 0: an errno, and the reason in the log.
 */
static int walk_struct(struct bpf_verifier_env *env, const struct btf *btf,
		       const struct btf_type *t, int off, int size, u32 *next, u32 *flags)
{
	const struct btf_member *m;
	const char *name;
again:
	name = type_name(btf, t);
	if (off + size > (int)t->size) {
		t = flexible_element(btf, t, &off);
		if (t && btf_kind(t) == BTF_KIND_INT)
			return WALK_SCALAR;
		if (is_struct(t) && t->size)
			goto again;
		explain(env, "access beyond struct %s at off %u size %u\n", name, off, size);
		return -EACCES;
	}
	for (m = members(t); m < members(t) + btf_vlen(t); m++) {
		int start = (int)(member_bit_offset(t, m) / 8), true_end;
		const struct btf_type *type;
		u32 elem, elem_size;
		u64 count;

		if (off + size <= start)
			break;
		if (member_bitfield_size(t, m)) {
			int end_bit = (int)(member_bit_offset(t, m) + member_bitfield_size(t, m));

			/* All of its bytes are read, and perhaps those of its neighbours. */
			if (off <= start && (end_bit + 7) / 8 <= off + size)
				return WALK_SCALAR;
			continue;
		}
		if (off < start) /* a hole */
			break;
		if (!resolve_array(btf, m->type, &elem, &elem_size, &count)) {
			explain(env, "field %s doesn't have size\n",
				btf_name_by_offset(btf, m->name_off));
			return -EFAULT;
		}
		true_end = start + (int)(elem_size * count);
		if (off >= true_end)
			continue;
		start += (off - start) / (int)elem_size * (int)elem_size;
		type = btf_type_by_id(btf, elem);
		if (is_struct(type)) {
			*next = elem;
			if (off == start)
				return WALK_STRUCT;
			off -= start;
			t = type;
			goto again;
		}
		if (btf_kind(type) == BTF_KIND_PTR) {
			if (size != (int)elem_size || off != start) {
				explain(env,
					"cannot access ptr member %s with moff %u in struct %s "
					"with off %u size %u\n",
					btf_name_by_offset(btf, m->name_off), start, name, off,
					size);
				return -EACCES;
			}
			return pointer_target(btf, type, next, flags);
		}
		/* Numbers next to each other in one array may be read together. */
		if (off + size > true_end) {
			explain(env,
				"access beyond the end of member %s (mend:%u) in struct %s with "
				"off %u size %u\n",
				btf_name_by_offset(btf, m->name_off), true_end, name, off, size);
			return -EACCES;
		}
		return WALK_SCALAR;
	}
	explain(env, "struct %s doesn't have field at offset %d\n", name, off);
	return -EINVAL;
}

bool btf_struct_ids_match(const struct btf *btf, u32 id, int off, u32 want)
{
	u32 flags;

	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		const struct btf_type *t = btf_type_by_id(btf, id);

		if (!off && id == want)
			return true;
		if (off < 0 || !is_struct(t) ||
		    walk_struct(NULL, btf, t, off, 1, &id, &flags) != WALK_STRUCT)
			return false;
		off = 0;
	}
	return false;
}

/* A load from a structure of type id: what the register becomes. */
static int load_member(struct bpf_verifier_env *env, u32 id, int off, int size, int dst_regno)
{
	const struct btf_type *t = btf_type_skip_modifiers(env->btf, id, NULL);
	struct bpf_reg_state *dst;
	u32 next = 0, flags = 0;
	int result;

	do {
		if (!is_struct(t)) {
			verbose(env, "Type '%s' is not a struct\n",
				t ? type_name(env->btf, t) : "");
			return -EINVAL;
		}
		result = walk_struct(env, env->btf, t, off, size, &next, &flags);
		if (result < 0)
			return result;
		t = btf_type_by_id(env->btf, next);
		off = 0;
	} while (result == WALK_STRUCT);
	if (dst_regno < 0)
		return 0;
	dst = &cur_regs(env)[dst_regno];
	if (result == WALK_SCALAR) {
		mark_reg_unknown(dst);
		return 0;
	}
	mark_reg_known_zero(dst);
	dst->type = PTR_TO_BTF_ID | PTR_UNTRUSTED | flags;
	dst->btf_id = next;
	return 0;
}

int check_ptr_to_btf_access(struct bpf_verifier_env *env, int regno, int off, int size, bool write,
			    int dst_regno)
{
	const struct bpf_reg_state *reg = &cur_regs(env)[regno];
	const char *name = type_name(env->btf, btf_type_by_id(env->btf, reg->btf_id));
	bool trusted;
	int err;

	if (off < 0) {
		verbose(env, "R%d is ptr_%s invalid negative access: off=%d\n", regno, name, off);
		return -EACCES;
	}
	if (!tnum_is_const(reg->s.var_off) || reg->s.var_off.value) {
		verbose(env,
			"R%d is ptr_%s invalid variable offset: off=%d, var_off=" TNUM_FMT "\n",
			regno, name, off, TNUM_ARGS(reg->s.var_off));
		return -EACCES;
	}
	if (reg->type & (MEM_USER | MEM_PERCPU)) {
		verbose(env, "R%d is ptr_%s access %s memory: off=%d\n", regno, name,
			reg->type & MEM_USER ? "user" : "percpu", off);
		return -EACCES;
	}
	if (write) {
		verbose(env, "only read is supported\n");
		return -EACCES;
	}
	/*
	 * What the kernel passes to an iterator by this structure lives as long as the iterator
	 * runs.
	 */
	trusted = !(reg->type & PTR_UNTRUSTED) && !strcmp(name, "bpf_iter_meta");
	err = load_member(env, reg->btf_id, off, size, dst_regno);
	if (!err && trusted && dst_regno >= 0)
		cur_regs(env)[dst_regno].type &= ~(u32)PTR_UNTRUSTED;
	return err;
}

int check_ptr_to_map_access(struct bpf_verifier_env *env, int regno, int off, int size, bool write,
			    int dst_regno)
{
	const struct bpf_map *map = cur_regs(env)[regno].map_ptr;
	/* The text is Linux's, which knows what is around a struct bpf_map. */
	const char *name = map->map_type == BPF_MAP_TYPE_ARRAY ? "bpf_array" : "bpf_map";

	if (!env->map_btf_id)
		env->map_btf_id = bpf_btf_find_struct(env->btf, "bpf_map");
	if (!env->map_btf_id) {
		verbose(env, "map_ptr access not supported without CONFIG_DEBUG_INFO_BTF\n");
		return -ENOTSUPP;
	}
	if (off < 0) {
		verbose(env, "R%d is %s invalid negative access: off=%d\n", regno, name, off);
		return -EACCES;
	}
	if (write) {
		verbose(env, "only read from %s is supported\n", name);
		return -EACCES;
	}
	return load_member(env, env->map_btf_id, off, size, dst_regno);
}
