/*
 * What a program's types must be, beyond what the reader of BTF needs: Linux's rules, so that the
 * two accept the same files. First each type alone: its name, its size, its members. Then
 * btf_resolve.c follows the references between them.
 *
 * Pure: allocates, and may be asked to stop. Task context.
 */
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/sched/sched.h"
#include "trace/bpf/core/abi.h"
#include "trace/bpf/load/btf_check.h"

#define INFO_MASK 0x9f00ffff /* the bits of btf_type.info that have a meaning */
#define INT_MASK  0x0fffffff /* the same of the word behind an INT */
enum { INT_SIGNED = 1, INT_CHAR = 2, INT_BOOL = 4 };

enum name_rule { ANY_NAME, NO_NAME, NAME_OR_NONE, NAME, TEXT };

/* What each kind may have. */
static const struct {
	enum name_rule name;
	bool vlen, kflag;
} rules[NR_BTF_KINDS] = {
	[BTF_KIND_INT] = { ANY_NAME, false, false },
	[BTF_KIND_PTR] = { NO_NAME, false, false },
	[BTF_KIND_ARRAY] = { NO_NAME, false, false },
	[BTF_KIND_STRUCT] = { NAME_OR_NONE, true, true },
	[BTF_KIND_UNION] = { NAME_OR_NONE, true, true },
	[BTF_KIND_ENUM] = { NAME_OR_NONE, true, true },
	[BTF_KIND_FWD] = { NAME, false, true },
	[BTF_KIND_TYPEDEF] = { NAME, false, false },
	[BTF_KIND_VOLATILE] = { NO_NAME, false, false },
	[BTF_KIND_CONST] = { NO_NAME, false, false },
	[BTF_KIND_RESTRICT] = { NO_NAME, false, false },
	[BTF_KIND_FUNC] = { NAME, true, false },
	[BTF_KIND_FUNC_PROTO] = { NO_NAME, true, false },
	[BTF_KIND_VAR] = { NAME, false, false },
	[BTF_KIND_DATASEC] = { NAME, true, false },
	[BTF_KIND_FLOAT] = { ANY_NAME, false, false },
	[BTF_KIND_DECL_TAG] = { TEXT, false, false },
	[BTF_KIND_TYPE_TAG] = { TEXT, false, false },
	[BTF_KIND_ENUM64] = { NAME_OR_NONE, true, true },
};

/* Names get into kallsyms and into texts of tools: letters, digits, _ and dots. */
bool btf_is_good_name(const struct btf *btf, u32 name_off)
{
	const char *name = btf_name_by_offset(btf, name_off);

	if (!*name || isdigit(*name) || strlen(name) >= KSYM_NAME_LEN)
		return false;
	for (; *name; name++)
		if (!isalnum(*name) && *name != '_' && *name != '.')
			return false;
	return true;
}

static bool name_follows(const struct btf *btf, u32 name_off, enum name_rule rule)
{
	switch (rule) {
	case NO_NAME:
		return !name_off;
	case NAME_OR_NONE:
		return !name_off || btf_is_good_name(btf, name_off);
	case NAME:
		return btf_is_good_name(btf, name_off);
	case TEXT:
		return *btf_name_by_offset(btf, name_off);
	default:
		return true;
	}
}

/* ---- one type. What is wrong with it, or NULL ---- */

static const char *check_int(const struct btf_type *t)
{
	u32 word = *(const u32 *)(t + 1), bits = btf_int_bits(t) + btf_int_offset(t);

	if (word & ~INT_MASK)
		return "Invalid int_data";
	if (bits > 128)
		return "nr_bits exceeds 128";
	return (bits + 7) / 8 > t->size ? "nr_bits exceeds type_size" : NULL;
}

static bool has_known_encoding(const struct btf_type *t)
{
	u32 encoding = *(const u32 *)(t + 1) >> 24;

	return !encoding || encoding == INT_SIGNED || encoding == INT_CHAR || encoding == INT_BOOL;
}

static const char *check_array(const struct btf_type *t)
{
	if (t->size)
		return "size != 0";
	if (!btf_array(t)->type)
		return "Invalid elem";
	return btf_array(t)->index_type ? NULL : "Invalid index";
}

static const char *check_members(const struct btf *btf, const struct btf_type *t)
{
	const struct btf_member *m = (const struct btf_member *)(t + 1);
	u32 last = 0;

	for (u32 i = 0; i < btf_vlen(t); i++, m++) {
		u32 offset = btf_member_bit_offset(t, m);

		if (!name_follows(btf, m->name_off, NAME_OR_NONE))
			return "Invalid name";
		if (!m->type)
			return "Invalid type_id";
		if (offset < last || (offset && btf_kind(t) == BTF_KIND_UNION))
			return "Invalid member bits_offset";
		if (DIV_ROUND_UP((u64)offset, 8U) > t->size)
			return "Member bits_offset exceeds its struct size";
		last = offset;
	}
	return NULL;
}

/* Of an ENUM, with 2 words for each value, or ENUM64, with 3: the first is the name. */
static const char *check_values(const struct btf *btf, const struct btf_type *t)
{
	const u32 *words = (const u32 *)(t + 1);

	if (!t->size || t->size > 8 || t->size & (t->size - 1))
		return "Unexpected size";
	for (u32 i = 0; i < btf_vlen(t); i++, words += btf_kind(t) == BTF_KIND_ENUM ? 2 : 3) {
		if (*words >= btf->str_len)
			return "Invalid name_offset";
		if (!btf_is_good_name(btf, *words))
			return "Invalid name";
	}
	return NULL;
}

static const char *check_variables(const struct btf_type *t)
{
	const struct btf_var_secinfo *var = (const struct btf_var_secinfo *)(t + 1);
	u64 end = 0;

	if (!t->size)
		return "size == 0";
	for (u32 i = 0; i < btf_vlen(t); i++, var++) {
		if (!var->type)
			return "Invalid type_id";
		if (var->offset < end || var->offset >= t->size)
			return "Invalid offset";
		if (!var->size || var->size > t->size)
			return "Invalid size";
		end = (u64)var->offset + var->size;
		if (end > t->size)
			return "Invalid offset+size";
	}
	return NULL;
}

static const char *check_var(const struct btf_type *t)
{
	u32 linkage = *(const u32 *)(t + 1);

	if (!t->type)
		return "Invalid type_id";
	return linkage <= BTF_VAR_GLOBAL_ALLOCATED ? NULL : "Linkage not supported";
}

static const char *check_float(const struct btf_type *t)
{
	return t->size == 2 || t->size == 4 || t->size == 8 || t->size == 12 || t->size == 16
		       ? NULL
		       : "Invalid type_size";
}

static const char *check_kind(const struct btf *btf, const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		return check_int(t);
	case BTF_KIND_ARRAY:
		return check_array(t);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return check_members(btf, t);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return check_values(btf, t);
	case BTF_KIND_FUNC:
		return btf_vlen(t) > BTF_FUNC_GLOBAL ? "Invalid func linkage" : NULL;
	case BTF_KIND_VAR:
		return check_var(t);
	case BTF_KIND_DATASEC:
		return check_variables(t);
	case BTF_KIND_FLOAT:
		return check_float(t);
	case BTF_KIND_DECL_TAG:
		return *(const s32 *)(t + 1) < -1 ? "Invalid component_idx" : NULL;
	default:
		return NULL;
	}
}

static const char *check_type(const struct btf *btf, const struct btf_type *t)
{
	if (t->info & ~INFO_MASK)
		return "Invalid btf_info";
	if (btf_vlen(t) && !rules[btf_kind(t)].vlen)
		return "vlen != 0";
	if (btf_kflag(t) && !rules[btf_kind(t)].kflag)
		return "Invalid btf_info kind_flag";
	if (btf_kind(t) == BTF_KIND_FWD && t->type)
		return "type != 0";
	if (!name_follows(btf, t->name_off, rules[btf_kind(t)].name))
		return btf_kind(t) == BTF_KIND_DECL_TAG ? "Invalid value" : "Invalid name";
	return check_kind(btf, t);
}

/* ---- all ---- */

/*
 * A tag of a type stands before its other modifiers. Chains of modifiers that begin at a smaller
 * number are good already.
 */
static int check_tags_from(const struct btf *btf, u32 id, struct bpf_verifier_log *log)
{
	const struct btf_type *t = btf_type_by_id(btf, id);
	bool in_tags = btf_kind(t) == BTF_KIND_TYPE_TAG;
	u32 current_id = id;

	for (int left = BTF_CHAIN_MAX; btf_is_modifier(btf, current_id); left--) {
		if (!left)
			return btf_refuse(log, id, -ELOOP, "Max chain length or cycle detected");
		t = btf_type_by_id(btf, current_id);
		if (btf_kind(t) != BTF_KIND_TYPE_TAG)
			in_tags = false;
		else if (!in_tags)
			return btf_refuse(log, id, -EINVAL, "Type tags don't precede modifiers");
		if (current_id < id)
			break;
		current_id = t->type;
	}
	return 0;
}

int btf_refuse(struct bpf_verifier_log *log, u32 id, int error, const char *fmt, ...)
{
	char why[64];
	va_list args;

	va_start(args, fmt);
	vscnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	bpf_log(log, "[%u] %s\n", id, why);
	return error;
}

int bpf_btf_check(const struct btf *btf, struct bpf_verifier_log *log)
{
	int error;

	for (u32 id = 1; id < btf->nr_types; id++) {
		const struct btf_type *t = btf_type_by_id(btf, id);
		const char *why = check_type(btf, t);

		if (why)
			return btf_refuse(log, id, -EINVAL, "%s", why);
		if (btf_kind(t) == BTF_KIND_INT && !has_known_encoding(t))
			return btf_refuse(log, id, -ENOTSUPP, "Unsupported encoding");
		cond_resched();
	}
	error = btf_resolve_all(btf, log);
	for (u32 id = 1; !error && id < btf->nr_types; id++) {
		error = check_tags_from(btf, id, log);
		cond_resched();
	}
	return error;
}
