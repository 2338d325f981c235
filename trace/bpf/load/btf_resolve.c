/*
 * Follows the references between a program's types: what has a size ends somewhere, members are
 * inside of their structures, and no type contains itself.
 *
 * It is Linux's search, because its limits decide what is accepted. A type is resolved once what it
 * needs is resolved. A structure or array needs its elements, but not what pointers lead to; so a
 * search that began at a structure stops at pointers, and one that began at a pointer stops at
 * structures: a list may lead back to itself. A search goes BTF_CHAIN_MAX types deep. It stops at
 * what an earlier one has resolved, so any number of structures may be inside each other.
 */
#include "kernel/errno.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/sched/sched.h"
#include "trace/bpf/load/btf_check.h"

struct resolver {
	const struct btf *btf;
	struct bpf_verifier_log *log;
	u8 *states; /* of each type */
	/*
	 * Of an ARRAY its bytes; of what only refers to another type: the type at the end; of a
	 * FUNC_PROTO that a FUNC has: itself.
	 */
	u32 *results;
	u32 depth;
	enum { MODE_NONE, MODE_PTR, MODE_STRUCT } mode; /* what the search came to first */
};
enum { NOT_VISITED, VISITED, RESOLVED };

static int resolve(struct resolver *r, u32 id);

static enum btf_kind kind_of(const struct resolver *r, u32 id)
{
	return btf_kind_of(r->btf, id);
}

static int invalid(struct resolver *r, u32 id, const char *why)
{
	return btf_refuse(r->log, id, -EINVAL, "%s", why);
}

static bool is_structure(enum btf_kind kind)
{
	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
}

/* Only a search begins at these, no other type may refer to them. */
static bool is_only_a_start(enum btf_kind kind)
{
	return kind == BTF_KIND_VAR || kind == BTF_KIND_DECL_TAG || kind == BTF_KIND_DATASEC;
}

static bool refers_to_others(const struct resolver *r, u32 id)
{
	switch (kind_of(r, id)) {
	case BTF_KIND_PTR:
	case BTF_KIND_ARRAY:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
	case BTF_KIND_DECL_TAG:
		return true;
	default:
		return btf_is_modifier(r->btf, id);
	}
}

/* Whether the search ends at the type: that it exists is enough. */
static bool is_end(const struct resolver *r, u32 id)
{
	enum btf_kind kind = kind_of(r, id);

	switch (r->mode) {
	case MODE_PTR:
		return !btf_is_modifier(r->btf, id) && kind != BTF_KIND_PTR;
	case MODE_STRUCT:
		return !btf_is_modifier(r->btf, id) && kind != BTF_KIND_ARRAY &&
		       !is_structure(kind);
	default:
		return !refers_to_others(r, id);
	}
}

/* The type itself, or at the end of its modifiers, if that has a size; else 0. */
static u32 find_sized(const struct resolver *r, u32 id, u32 *size)
{
	if (btf_is_modifier(r->btf, id) || kind_of(r, id) == BTF_KIND_VAR)
		id = r->results[id];
	switch (kind_of(r, id)) {
	case BTF_KIND_INT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_DATASEC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_ENUM64:
		*size = btf_type_by_id(r->btf, id)->size;
		return id;
	case BTF_KIND_PTR:
		*size = sizeof(void *);
		return id;
	case BTF_KIND_ARRAY:
		*size = r->results[id];
		return id;
	default:
		return 0;
	}
}

/* An INT whose bits are all of 1, 2, 4, 8 or 16 bytes. */
static bool is_regular_int(const struct resolver *r, u32 id)
{
	const struct btf_type *t = btf_type_by_id(r->btf, id);
	u32 bits;

	if (kind_of(r, id) != BTF_KIND_INT || btf_int_offset(t))
		return false;
	bits = btf_int_bits(t);
	return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128;
}

/* What the type needs is resolved first. */
static int need(struct resolver *r, u32 id)
{
	return is_end(r, id) || r->states[id] == RESOLVED ? 0 : resolve(r, id);
}

/* ---- a kind of type each: 0 or an errno ---- */

/* PTR and modifiers, which may lead to what has no size; VAR may not. */
static int resolve_reference(struct resolver *r, u32 id)
{
	const struct btf_type *t = btf_type_by_id(r->btf, id);
	u32 next = t->type, end, size;
	int error;

	if (is_only_a_start(kind_of(r, next)))
		return invalid(r, id, "Invalid type_id");
	error = need(r, next);
	/* Modifiers may hide a pointer, which may lead back to here. */
	if (!error && !btf_is_modifier(r->btf, id) && btf_is_modifier(r->btf, next) &&
	    kind_of(r, r->results[next]) == BTF_KIND_PTR)
		error = need(r, r->results[next]);
	if (error)
		return error;
	end = find_sized(r, next, &size);
	if (!end) {
		end = r->states[next] == RESOLVED ? r->results[next] : next;
		if (kind_of(r, id) == BTF_KIND_VAR || (end && kind_of(r, end) != BTF_KIND_FWD &&
						       kind_of(r, end) != BTF_KIND_FUNC_PROTO))
			return invalid(r, id, "Invalid type_id");
	}
	r->results[id] = end;
	return 0;
}

/* A type with a size inside of type id: *inner becomes the type at its end. */
static int resolve_inner(struct resolver *r, u32 id, u32 *inner, u32 *size, const char *why)
{
	int error;

	if (is_only_a_start(kind_of(r, *inner)))
		return invalid(r, id, why);
	error = need(r, *inner);
	if (error)
		return error;
	*inner = find_sized(r, *inner, size);
	return *inner ? 0 : invalid(r, id, why);
}

static int resolve_array(struct resolver *r, u32 id)
{
	const struct btf_array *array = btf_array(btf_type_by_id(r->btf, id));
	u32 index = array->index_type, elem = array->type, size;
	int error = resolve_inner(r, id, &index, &size, "Invalid index");

	if (error)
		return error;
	if (!is_regular_int(r, index))
		return invalid(r, id, "Invalid index");
	error = resolve_inner(r, id, &elem, &size, "Invalid elem");
	if (error)
		return error;
	if (kind_of(r, elem) == BTF_KIND_INT && !is_regular_int(r, elem))
		return invalid(r, id, "Invalid array of int");
	if ((u64)size * array->nelems > ~0U)
		return invalid(r, id, "Array size overflows U32_MAX");
	r->results[id] = size * array->nelems;
	return 0;
}

/* bits at an offset in bits: NULL, or what is wrong. */
static const char *check_bits(const struct btf_type *t, u64 offset, u32 bits)
{
	if (bits + offset % 8 > 128)
		return "nr_copy_bits exceeds 128";
	return (offset + bits + 7) / 8 > t->size ? "Member exceeds struct_size" : NULL;
}

static const char *check_bytes(const struct btf_type *t, u32 offset, u32 size, u32 alignment)
{
	if (offset % alignment)
		return alignment == 8 ? "Member is not byte aligned"
				      : "Member is not properly aligned";
	return (u64)offset / 8 + size > t->size ? "Member exceeds struct_size" : NULL;
}

/* A bit field, or a member of a structure that may have some. */
static const char *check_bitfield(const struct resolver *r, const struct btf_type *t, u32 offset,
				  u32 bits, u32 type)
{
	bool is_int = kind_of(r, type) == BTF_KIND_INT;
	u32 most = is_int ? btf_int_bits(btf_type_by_id(r->btf, type)) : 32;

	if (is_int && !is_regular_int(r, type))
		return "Invalid member base type";
	if (!bits && offset % 8)
		return is_int ? "Invalid member offset" : "Member is not byte aligned";
	if (bits > most)
		return "Invalid member bitfield_size";
	return check_bits(t, offset, bits ? bits : most);
}

/* type, of size bytes, is the member's at the end of its modifiers. */
static const char *check_member(const struct resolver *r, const struct btf_type *t,
				const struct btf_member *m, u32 type, u32 size)
{
	u32 offset = btf_member_bit_offset(t, m), bits = btf_member_bitfield_size(t, m);
	const struct btf_type *inner = btf_type_by_id(r->btf, type);

	switch (btf_kind(inner)) {
	case BTF_KIND_INT:
		if (!btf_kflag(t))
			return check_bits(t, (u64)offset + btf_int_offset(inner),
					  btf_int_bits(inner));
		return check_bitfield(r, t, offset, bits, type);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		if (!btf_kflag(t))
			return check_bytes(t, offset, size, 8);
		return check_bitfield(r, t, offset, bits, type);
	case BTF_KIND_FLOAT:
		if (!bits)
			return check_bytes(t, offset, size, 8 * min(size, 8U));
		return "Invalid member bitfield_size";
	default:
		return bits ? "Invalid member bitfield_size" : check_bytes(t, offset, size, 8);
	}
}

static int resolve_structure(struct resolver *r, u32 id)
{
	const struct btf_type *t = btf_type_by_id(r->btf, id);
	const struct btf_member *m = (const struct btf_member *)(t + 1);

	for (u32 i = 0; i < btf_vlen(t); i++, m++) {
		u32 type = m->type, size;
		int error = resolve_inner(r, id, &type, &size, "Invalid member");
		const char *why = error ? NULL : check_member(r, t, m, type, size);

		if (error || why)
			return error ? error : invalid(r, id, why);
	}
	return 0;
}

static int resolve_func(struct resolver *r, u32 id)
{
	u32 type = btf_type_by_id(r->btf, id)->type;
	const struct btf_type *proto = btf_type_by_id(r->btf, type);
	const struct btf_param *params = btf_params(proto);

	/* Many functions may share a prototype with many parameters. It is looked at once. */
	for (u32 i = 0; !r->results[type] && i < btf_vlen(proto); i++)
		if (!params[i].name_off && params[i].type)
			return btf_refuse(r->log, id, -EINVAL, "Invalid arg#%u", i + 1);
	r->results[id] = r->results[type] = type;
	return 0;
}

static int resolve_decl_tag(struct resolver *r, u32 id)
{
	const struct btf_type *t = btf_type_by_id(r->btf, id);
	const struct btf_type *target = btf_type_by_id(r->btf, t->type);
	enum btf_kind kind = kind_of(r, t->type);
	s32 component = *(const s32 *)(t + 1);
	int error;

	if (!is_structure(kind) && kind != BTF_KIND_FUNC && kind != BTF_KIND_VAR &&
	    kind != BTF_KIND_TYPEDEF)
		return invalid(r, id, "Invalid type_id");
	error = need(r, t->type);
	if (error)
		return error;
	r->results[id] = t->type;
	if (component == -1)
		return 0;
	if (kind == BTF_KIND_FUNC)
		target = btf_type_by_id(r->btf, target->type);
	if (kind == BTF_KIND_VAR || kind == BTF_KIND_TYPEDEF || component >= (s32)btf_vlen(target))
		return invalid(r, id, "Invalid component_idx");
	return 0;
}

static int resolve_datasec(struct resolver *r, u32 id)
{
	const struct btf_type *t = btf_type_by_id(r->btf, id);
	const struct btf_var_secinfo *var = (const struct btf_var_secinfo *)(t + 1);

	for (u32 i = 0; i < btf_vlen(t); i++, var++) {
		u32 size;
		int error;

		if (var->type >= r->btf->nr_types || kind_of(r, var->type) != BTF_KIND_VAR)
			return invalid(r, id, "Not a VAR kind member");
		r->mode = MODE_NONE;
		error = need(r, var->type);
		if (error)
			return error;
		if (!find_sized(r, var->type, &size))
			return invalid(r, id, "Invalid type");
		if (var->size < size)
			return invalid(r, id, "Invalid size");
	}
	return 0;
}

static int resolve_kind(struct resolver *r, u32 id)
{
	switch (kind_of(r, id)) {
	case BTF_KIND_ARRAY:
		return resolve_array(r, id);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return resolve_structure(r, id);
	case BTF_KIND_FUNC:
		return resolve_func(r, id);
	case BTF_KIND_DECL_TAG:
		return resolve_decl_tag(r, id);
	case BTF_KIND_DATASEC:
		return resolve_datasec(r, id);
	default:
		return resolve_reference(r, id);
	}
}

/* Recursive, BTF_CHAIN_MAX deep. */
static int resolve(struct resolver *r, u32 id)
{
	enum btf_kind kind = kind_of(r, id);
	int error;

	if (r->depth == BTF_CHAIN_MAX)
		return btf_refuse(r->log, id, -E2BIG, "Exceeded max resolving depth:32");
	if (r->states[id] != NOT_VISITED)
		return btf_refuse(r->log, id, -EEXIST, "Loop detected");
	r->states[id] = VISITED;
	if (r->mode == MODE_NONE && kind == BTF_KIND_PTR)
		r->mode = MODE_PTR;
	else if (r->mode == MODE_NONE && (kind == BTF_KIND_ARRAY || is_structure(kind)))
		r->mode = MODE_STRUCT;
	r->depth++;
	error = resolve_kind(r, id);
	r->depth--;
	r->states[id] = RESOLVED;
	return error;
}

/* ---- all ---- */

/* A search that begins at the type. */
static int begin(struct resolver *r, u32 id)
{
	r->mode = MODE_NONE;
	return need(r, id);
}

/* The type of a parameter, or of the result. -ENOENT: it has no size. */
static int check_value(struct resolver *r, u32 type)
{
	u32 size;
	int error;

	if (is_only_a_start(kind_of(r, type)))
		return -ENOENT;
	error = begin(r, type);
	if (error)
		return error;
	return find_sized(r, type, &size) ? 0 : -ENOENT;
}

static int check_proto(struct resolver *r, u32 id)
{
	const struct btf_type *t = btf_type_by_id(r->btf, id);
	const struct btf_param *params = btf_params(t);
	u32 nr = btf_vlen(t) - btf_is_variadic(t);
	int error = t->type ? check_value(r, t->type) : 0;

	if (error == -ENOENT)
		return invalid(r, id, "Invalid return type");
	for (u32 i = 0; !error && i < nr; i++) {
		if (params[i].name_off && !btf_is_good_name(r->btf, params[i].name_off))
			error = -ENOENT;
		else
			error = check_value(r, params[i].type);
		if (error == -ENOENT)
			return btf_refuse(r->log, id, -EINVAL, "Invalid arg#%u", i + 1);
	}
	return error;
}

static int resolve_each(struct resolver *r)
{
	int error = 0;

	for (u32 id = 1; !error && id < r->btf->nr_types; id++) {
		error = begin(r, id);
		if (!error && kind_of(r, id) == BTF_KIND_FUNC_PROTO)
			error = check_proto(r, id);
		cond_resched();
	}
	return error;
}

int btf_resolve_all(const struct btf *btf, struct bpf_verifier_log *log)
{
	struct resolver r = { .btf = btf, .log = log };
	int error = -ENOMEM;

	r.states = kvzalloc(btf->nr_types, GFP_KERNEL | __GFP_NOWARN);
	r.results = kvzalloc((size_t)btf->nr_types * sizeof(*r.results), GFP_KERNEL | __GFP_NOWARN);
	if (r.states && r.results)
		error = resolve_each(&r);
	kvfree(r.states);
	kvfree(r.results);
	return error;
}
