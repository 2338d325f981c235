/* What the files of the check of a program's types share: btf_check.c, btf_resolve.c. */
#pragma once

#include "kernel/btf/btf.h"
#include "trace/bpf/load/load.h"

#define BTF_CHAIN_MAX 32 /* types behind each other, in one search */

/* A variable of a DATASEC. */
struct btf_var_secinfo {
	u32 type, offset, size;
};

/* Of an INT: the word behind it. */
static inline u32 btf_int_bits(const struct btf_type *t)
{
	return *(const u32 *)(t + 1) & 0xff;
}
static inline u32 btf_int_offset(const struct btf_type *t)
{
	return *(const u32 *)(t + 1) >> 16 & 0xff;
}

/* Of a number that may be 0, which is void. */
static inline enum btf_kind btf_kind_of(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_by_id(btf, id);

	return t ? btf_kind(t) : BTF_KIND_UNKN;
}

static inline bool btf_is_modifier(const struct btf *btf, u32 id)
{
	switch (btf_kind_of(btf, id)) {
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return true;
	default:
		return false;
	}
}

/* Says in the log what is wrong with the type, and returns error. */
__printf(4, 5) int btf_refuse(struct bpf_verifier_log *log, u32 id, int error, const char *fmt,
			      ...);
/* btf_check.c: there is a name, of letters, digits, _ and dots. */
bool btf_is_good_name(const struct btf *btf, u32 name_off);
/* btf_resolve.c. The types are good, each alone. 0, -EINVAL, -EEXIST, -E2BIG, -ENOMEM. */
int btf_resolve_all(const struct btf *btf, struct bpf_verifier_log *log);
