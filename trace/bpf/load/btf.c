/*
 * What BTF says of structures: their numbers and sizes, and what lies at an offset of one.
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/verifier/verifier.h"

/* typedef of a typedef …; arrays of arrays: deeper ones have no size. */
#define MAX_DEPTH 32

static bool is_struct(const struct btf_type *t)
{
	return t && btf_is_structure(t);
}

static const struct btf_member *members(const struct btf_type *t)
{
	return (const struct btf_member *)(t + 1);
}

static const char *type_name(const struct btf *btf, const struct btf_type *t)
{
	return btf_name_by_offset(btf, t->name_off);
}

const char *bpf_btf_type_name(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_by_id(btf, id);

	return t ? type_name(btf, t) : "void";
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
	start = (int)(btf_member_bit_offset(t, last) / 8);
	if (!array || btf_kind(array) != BTF_KIND_ARRAY || btf_array(array)->nelems || *off < start)
		return NULL;
	elem = btf_type_skip_modifiers(btf, btf_array(array)->type, NULL);
	if (is_struct(elem) && elem->size)
		*off = (*off - start) % (int)elem->size;
	return elem;
}

/* A pointer member: to a structure of type *next with *flags, or a number. */
static enum bpf_member pointer_target(const struct btf *btf, const struct btf_type *ptr, u32 *next,
				      u32 *flags)
{
	const struct btf_type *t = btf_type_by_id(btf, ptr->type);

	*flags = 0;
	if (t && btf_kind(t) == BTF_KIND_TYPE_TAG) {
		const char *tag = type_name(btf, t);

		*flags = !strcmp(tag, "user") ? MEM_USER : !strcmp(tag, "percpu") ? MEM_PERCPU : 0;
	}
	t = btf_type_skip_modifiers(btf, ptr->type, next);
	return is_struct(t) ? BPF_MEMBER_PTR : BPF_MEMBER_SCALAR;
}

/*
 * Looks for what an access to size bytes at off touches in structure t: a number, a pointer to a
 * structure, or the first byte of a structure inside. < 0: an errno, and the reason in the log.
 */
static int walk_struct(struct bpf_verifier_log *log, const struct btf *btf,
		       const struct btf_type *t, int off, int size, u32 *next, u32 *flags)
{
	const struct btf_member *m;
	const char *name;
again:
	name = type_name(btf, t);
	if (off + size > (int)t->size) {
		t = flexible_element(btf, t, &off);
		if (t && btf_kind(t) == BTF_KIND_INT)
			return BPF_MEMBER_SCALAR;
		if (is_struct(t) && t->size)
			goto again;
		bpf_log(log, "access beyond struct %s at off %u size %u\n", name, off, size);
		return -EACCES;
	}
	for (m = members(t); m < members(t) + btf_vlen(t); m++) {
		int start = (int)(btf_member_bit_offset(t, m) / 8), true_end;
		const struct btf_type *type;
		u32 elem, elem_size;
		u64 count;

		if (off + size <= start)
			break;
		if (btf_member_bitfield_size(t, m)) {
			int end_bit =
				(int)(btf_member_bit_offset(t, m) + btf_member_bitfield_size(t, m));

			/* All of its bytes are read, and perhaps those of its neighbours. */
			if (off <= start && (end_bit + 7) / 8 <= off + size)
				return BPF_MEMBER_SCALAR;
			continue;
		}
		if (off < start) /* a hole */
			break;
		if (!resolve_array(btf, m->type, &elem, &elem_size, &count)) {
			bpf_log(log, "field %s doesn't have size\n",
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
				return BPF_MEMBER_STRUCT;
			off -= start;
			t = type;
			goto again;
		}
		if (btf_kind(type) == BTF_KIND_PTR) {
			if (size != (int)elem_size || off != start) {
				bpf_log(log,
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
			bpf_log(log,
				"access beyond the end of member %s (mend:%u) in struct %s with "
				"off %u size %u\n",
				btf_name_by_offset(btf, m->name_off), true_end, name, off, size);
			return -EACCES;
		}
		return BPF_MEMBER_SCALAR;
	}
	bpf_log(log, "struct %s doesn't have field at offset %d\n", name, off);
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
		    walk_struct(NULL, btf, t, off, 1, &id, &flags) != BPF_MEMBER_STRUCT)
			return false;
		off = 0;
	}
	return false;
}

int btf_struct_access(struct bpf_verifier_log *log, const struct btf *btf, u32 id, int off,
		      int size, u32 *next, u32 *flags)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, id, NULL);
	int result;

	do {
		if (!is_struct(t)) {
			bpf_log(log, "Type '%s' is not a struct\n", t ? type_name(btf, t) : "");
			return -EINVAL;
		}
		result = walk_struct(log, btf, t, off, size, next, flags);
		if (result < 0)
			return result;
		t = btf_type_by_id(btf, *next);
		off = 0;
	} while (result == BPF_MEMBER_STRUCT);
	return result;
}
