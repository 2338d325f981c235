/* The reader of BTF: checks it once, and finds functions, types and members in it. */
#include "kernel/btf/btf.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

#define BTF_MAGIC     0xeb9f
#define BTF_VERSION   1
#define NESTING_MAX   32 /* modifiers behind each other: more are a loop */
#define ANONYMOUS_MAX 8  /* unnamed structures in each other */

/* What follows a btf_type: a fixed part, and a part for each of vlen. In bytes. */
static const struct {
	u8 fixed, each;
} extra[NR_BTF_KINDS] = {
	[BTF_KIND_INT] = { 4, 0 },
	[BTF_KIND_ARRAY] = { sizeof(struct btf_array), 0 },
	[BTF_KIND_STRUCT] = { 0, sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { 0, sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { 0, 8 },
	[BTF_KIND_FUNC_PROTO] = { 0, sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { 4, 0 },
	[BTF_KIND_DATASEC] = { 0, 12 },
	[BTF_KIND_DECL_TAG] = { 4, 0 },
	[BTF_KIND_ENUM64] = { 0, 12 },
};

const struct btf_type *btf_type_by_id(const struct btf *btf, u32 id)
{
	u32 first = btf->base ? btf->base->nr_types : 0;

	if (!id)
		return NULL;
	return id < first ? btf_type_by_id(btf->base, id)
			  : (const struct btf_type *)(btf->types + btf->offsets[id - first]);
}

const char *btf_name_by_offset(const struct btf *btf, u32 name_off)
{
	u32 first = btf->base ? btf->base->str_len : 0;

	return name_off < first ? btf->base->strings + name_off : btf->strings + name_off - first;
}

/* ---- checking ---- */

static int find_sections(struct btf *btf, const u8 *data, size_t size)
{
	const struct btf_header *header = (const struct btf_header *)data;
	size_t rest;

	if (size < sizeof(*header) || header->magic != BTF_MAGIC ||
	    header->version != BTF_VERSION || header->hdr_len < sizeof(*header) ||
	    header->hdr_len > size)
		return -EINVAL;
	rest = size - header->hdr_len;
	if (header->type_off > rest || header->type_len > rest - header->type_off ||
	    header->str_off > rest || header->str_len > rest - header->str_off)
		return -EINVAL;
	btf->types = data + header->hdr_len + header->type_off;
	btf->type_len = header->type_len;
	btf->strings = (const char *)data + header->hdr_len + header->str_off;
	if (((unsigned long)btf->types & 3) ||
	    (header->str_len && btf->strings[header->str_len - 1]))
		return -EINVAL;
	if (btf->base) {
		if (header->str_len > ~0U - btf->base->str_len)
			return -EINVAL;
		btf->str_len = btf->base->str_len + header->str_len;
		return 0;
	}
	btf->str_len = header->str_len;
	return !btf->str_len || btf->strings[0] ? -EINVAL : 0;
}

/* The bytes of the type at a position, or 0: it is damaged. */
static u32 size_of_type(const struct btf *btf, u32 at)
{
	const struct btf_type *t = (const struct btf_type *)(btf->types + at);
	u32 rest = btf->type_len - at, size = sizeof(*t);

	if (rest < size || btf_kind(t) == BTF_KIND_UNKN || btf_kind(t) >= NR_BTF_KINDS)
		return 0;
	size += extra[btf_kind(t)].fixed + extra[btf_kind(t)].each * btf_vlen(t);
	return size <= rest && t->name_off < btf->str_len ? size : 0;
}

/* Counts the types. With offsets, also stores where they are. */
static int scan(struct btf *btf)
{
	u32 first = btf->base ? btf->base->nr_types : 0, size;

	btf->nr_types = first ? first : 1;
	for (u32 at = 0; at < btf->type_len; at += size) {
		size = size_of_type(btf, at);
		if (!size)
			return -EINVAL;
		if (btf->offsets)
			btf->offsets[btf->nr_types - first] = at;
		btf->nr_types++;
	}
	return 0;
}

/* Whether the type, and the types and names behind it, refer to what exists. */
static bool has_good_references(const struct btf *btf, const struct btf_type *t)
{
	const u32 *words = (const u32 *)(t + 1);
	u32 step = extra[btf_kind(t)].each / 4;

	switch (btf_kind(t)) {
	case BTF_KIND_FUNC:
		return t->type && t->type < btf->nr_types &&
		       btf_kind(btf_type_by_id(btf, t->type)) == BTF_KIND_FUNC_PROTO;
	case BTF_KIND_ARRAY:
		return words[0] < btf->nr_types && words[1] < btf->nr_types;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_FUNC_PROTO:
		for (u32 i = 0; i < btf_vlen(t); i++)
			if (words[i * step] >= btf->str_len || words[i * step + 1] >= btf->nr_types)
				return false;
		return btf_kind(t) != BTF_KIND_FUNC_PROTO || t->type < btf->nr_types;
	case BTF_KIND_PTR:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return t->type < btf->nr_types;
	default:
		return true; /* no function here follows other references */
	}
}

static int check_types(const struct btf *btf)
{
	for (u32 id = btf->base ? btf->base->nr_types : 1; id < btf->nr_types; id++)
		if (!has_good_references(btf, btf_type_by_id(btf, id)))
			return -EINVAL;
	return 0;
}

int btf_parse_split(struct btf *btf, const struct btf *base, const void *data, size_t size)
{
	u32 first = base ? base->nr_types : 0;
	int error;

	*btf = (struct btf){ .base = base };
	error = find_sections(btf, data, size);
	if (!error)
		error = scan(btf);
	if (error)
		return error;
	btf->offsets = kcalloc(btf->nr_types - first, sizeof(*btf->offsets), GFP_KERNEL);
	error = btf->offsets ? scan(btf) : -ENOMEM;
	if (!error)
		error = check_types(btf);
	if (error)
		btf_free(btf);
	return error;
}

void btf_free(struct btf *btf)
{
	kfree(btf->offsets);
	kfree(btf->funcs);
	*btf = (struct btf){ .types = NULL };
}

/* ---- functions by name ---- */

static u32 hash_name(const char *name)
{
	u32 hash = 2166136261u; /* FNV-1a */

	while (*name)
		hash = (hash ^ (u8)*name++) * 16777619u;
	return hash;
}

/* The slot of the function, or the free slot where it belongs. */
static u32 *func_slot(const struct btf *btf, const char *name)
{
	for (u32 slot = hash_name(name);; slot++) {
		u32 *id = &btf->funcs[slot & (btf->func_slots - 1)];

		if (!*id ||
		    strcmp(btf_name_by_offset(btf, btf_type_by_id(btf, *id)->name_off), name) == 0)
			return id;
	}
}

int btf_index_funcs(struct btf *btf)
{
	u32 nr_funcs = 0;

	for (u32 id = 1; id < btf->nr_types; id++)
		nr_funcs += btf_kind(btf_type_by_id(btf, id)) == BTF_KIND_FUNC;
	btf->func_slots = 2;
	while (btf->func_slots < 2 * nr_funcs)
		btf->func_slots *= 2;
	btf->funcs = kcalloc(btf->func_slots, sizeof(*btf->funcs), GFP_KERNEL);
	if (!btf->funcs)
		return -ENOMEM;
	for (u32 id = 1; id < btf->nr_types; id++) {
		const struct btf_type *t = btf_type_by_id(btf, id);

		if (btf_kind(t) == BTF_KIND_FUNC)
			*func_slot(btf, btf_name_by_offset(btf, t->name_off)) = id;
	}
	return 0;
}

const struct btf_type *btf_find_func_proto(const struct btf *btf, const char *name)
{
	const struct btf_type *func = btf_type_by_id(btf, *func_slot(btf, name));

	return func ? btf_type_by_id(btf, func->type) : NULL;
}

/* ---- structures by name, prototypes ---- */

const struct btf_type *btf_find_structure(const struct btf *btf, const char *name)
{
	for (u32 id = 1; id < btf->nr_types; id++) {
		const struct btf_type *t = btf_type_by_id(btf, id);

		if (btf_is_structure(t) && strcmp(btf_name_by_offset(btf, t->name_off), name) == 0)
			return t;
	}
	return NULL;
}

const struct btf_param *btf_params(const struct btf_type *proto)
{
	return (const struct btf_param *)(proto + 1);
}

bool btf_is_variadic(const struct btf_type *proto)
{
	u32 count = btf_vlen(proto);

	return count && !btf_params(proto)[count - 1].type &&
	       !btf_params(proto)[count - 1].name_off;
}

/* ---- types ---- */

const struct btf_type *btf_type_skip_modifiers(const struct btf *btf, u32 type, u32 *id)
{
	for (unsigned i = 0; i < NESTING_MAX; i++) {
		const struct btf_type *t = btf_type_by_id(btf, type);

		switch (t ? btf_kind(t) : BTF_KIND_UNKN) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			type = t->type;
			break;
		default:
			if (id)
				*id = type;
			return t;
		}
	}
	return NULL;
}

bool btf_int_is_signed(const struct btf_type *t)
{
	return *(const u32 *)(t + 1) >> 24 & 1;
}

const struct btf_array *btf_array(const struct btf_type *t)
{
	return (const struct btf_array *)(t + 1);
}

static const struct btf_member *find_member(const struct btf *btf, const struct btf_type *t,
					    const char *name, u32 *bit_offset, u32 *bit_size,
					    unsigned depth)
{
	const struct btf_member *m = (const struct btf_member *)(t + 1);

	for (u32 i = 0; i < btf_vlen(t); i++, m++) {
		const struct btf_member *found = NULL;
		const struct btf_type *inner;

		if (m->name_off && strcmp(btf_name_by_offset(btf, m->name_off), name) == 0) {
			*bit_offset = btf_member_bit_offset(t, m);
			*bit_size = btf_member_bitfield_size(t, m);
			return m;
		}
		inner = m->name_off ? NULL : btf_type_skip_modifiers(btf, m->type, NULL);
		if (inner && depth &&
		    (btf_kind(inner) == BTF_KIND_STRUCT || btf_kind(inner) == BTF_KIND_UNION))
			found = find_member(btf, inner, name, bit_offset, bit_size, depth - 1);
		if (found) {
			*bit_offset += btf_member_bit_offset(t, m);
			return found;
		}
	}
	return NULL;
}

const struct btf_member *btf_find_struct_member(const struct btf *btf, const struct btf_type *t,
						const char *name, u32 *bit_offset, u32 *bit_size)
{
	return find_member(btf, t, name, bit_offset, bit_size, ANONYMOUS_MAX);
}
