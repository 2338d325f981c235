/*
 * BTF, the format in which a program describes its own types (Linux: Documentation/bpf/btf.rst):
 * functions with the names and types of their parameters, structures with their members. The
 * names of types and functions here are Linux's.
 *
 * btf_parse() checks the data as a whole: each number of a type and each position of a name is in
 * its range. So no other function checks anything, and all may be called in any context.
 */
#pragma once

#include "kernel/types.h"

enum btf_kind {
	BTF_KIND_UNKN,
	BTF_KIND_INT,
	BTF_KIND_PTR,
	BTF_KIND_ARRAY,
	BTF_KIND_STRUCT,
	BTF_KIND_UNION,
	BTF_KIND_ENUM,
	BTF_KIND_FWD,
	BTF_KIND_TYPEDEF,
	BTF_KIND_VOLATILE,
	BTF_KIND_CONST,
	BTF_KIND_RESTRICT,
	BTF_KIND_FUNC,
	BTF_KIND_FUNC_PROTO,
	BTF_KIND_VAR,
	BTF_KIND_DATASEC,
	BTF_KIND_FLOAT,
	BTF_KIND_DECL_TAG,
	BTF_KIND_TYPE_TAG,
	BTF_KIND_ENUM64,
	NR_BTF_KINDS
};

struct btf_header {
	u16 magic;
	u8 version, flags;
	u32 hdr_len;
	u32 type_off, type_len; /* positions count from the end of the header */
	u32 str_off, str_len;
};

/* One type; what follows it depends on the kind. Type 0 is void, and has no struct. */
struct btf_type {
	u32 name_off;
	u32 info; /* btf_kind(), btf_vlen(), btf_kflag() */
	union {
		u32 size; /* INT, ENUM, STRUCT, UNION, FLOAT, ENUM64 */
		u32 type; /* PTR, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, FUNC_PROTO, TYPE_TAG */
	};
};

struct btf_param {
	u32 name_off; /* 0 with type 0: "..." */
	u32 type;
};

struct btf_member {
	u32 name_off;
	u32 type;
	u32 offset; /* btf_member_bit_offset(), btf_member_bitfield_size() */
};

struct btf_array {
	u32 type, index_type, nelems;
};

/*
 * Checked data. Constant. The types of a module are split BTF: they continue those of the kernel,
 * with numbers and positions of names behind the last ones there.
 */
struct btf {
	const struct btf *base; /* NULL: it continues no other */
	const u8 *types;        /* the section of types */
	const char *strings;
	u32 nr_types; /* with type 0 and those of base */
	u32 type_len;
	u32 str_len;    /* with that of base */
	u32 *offsets;   /* of each type in the section */
	u32 func_slots; /* of funcs: a power of 2 */
	u32 *funcs;     /* btf_index_funcs(): numbers of functions, by the hash of names; 0: free */
};

/*
 * Checks data, which must be aligned to 4 bytes and stays in use, and makes *btf of it. 0, -EINVAL
 * (no BTF, or damaged), -ENOMEM. base may be NULL, and stays in use, too. Task context.
 */
int btf_parse_split(struct btf *btf, const struct btf *base, const void *data, size_t size);
static inline int btf_parse(struct btf *btf, const void *data, size_t size)
{
	return btf_parse_split(btf, NULL, data, size);
}
/*
 * Makes the table for btf_find_func_proto(). Only for types that are trusted: names that collide
 * make it slow. btf has no base. 0, -ENOMEM. Task context.
 */
int btf_index_funcs(struct btf *btf);
void btf_free(struct btf *btf);

static inline enum btf_kind btf_kind(const struct btf_type *t)
{
	return (enum btf_kind)(t->info >> 24 & 0x1f);
}
static inline u32 btf_vlen(const struct btf_type *t)
{
	return t->info & 0xffff;
}
static inline bool btf_kflag(const struct btf_type *t)
{
	return t->info >> 31;
}

/* Of a member of t: with kflag, the upper byte of its offset is the size of a bit field. */
static inline u32 btf_member_bit_offset(const struct btf_type *t, const struct btf_member *m)
{
	return btf_kflag(t) ? m->offset & 0xffffff : m->offset;
}
static inline u32 btf_member_bitfield_size(const struct btf_type *t, const struct btf_member *m)
{
	return btf_kflag(t) ? m->offset >> 24 : 0;
}

/* The type with that number, which comes from the data; NULL: void. */
const struct btf_type *btf_type_by_id(const struct btf *btf, u32 id);
/*
 * The same without const, volatile, restrict, typedefs and tags. NULL: void, or a loop of them. *id
 * may be NULL; else it becomes the number of the result.
 */
const struct btf_type *btf_type_skip_modifiers(const struct btf *btf, u32 type, u32 *id);
/* The name at a position; "": it has none. */
const char *btf_name_by_offset(const struct btf *btf, u32 name_off);

/* The prototype of a function, a FUNC_PROTO; NULL: no such function. After btf_index_funcs(). */
const struct btf_type *btf_find_func_proto(const struct btf *btf, const char *name);
static inline bool btf_is_structure(const struct btf_type *t)
{
	return btf_kind(t) == BTF_KIND_STRUCT || btf_kind(t) == BTF_KIND_UNION;
}
/* The STRUCT or UNION with a name; NULL: none has it. Looks at all types. */
const struct btf_type *btf_find_structure(const struct btf *btf, const char *name);
/* The parameters of a FUNC_PROTO, btf_vlen() of them. */
const struct btf_param *btf_params(const struct btf_type *proto);
/* Whether the last parameter is "...". */
bool btf_is_variadic(const struct btf_type *proto);

/* Of an INT. */
bool btf_int_is_signed(const struct btf_type *t);
/* Of an ARRAY. */
const struct btf_array *btf_array(const struct btf_type *t);
/*
 * Finds a member of a STRUCT or UNION by name, in its unnamed members, too. *bit_offset: from the
 * start of the outermost structure; *bit_size: of a bit field, else 0. NULL: no such member.
 */
const struct btf_member *btf_find_struct_member(const struct btf *btf, const struct btf_type *t,
						const char *name, u32 *bit_offset, u32 *bit_size);

/*
 * Reads the kernel's own types, at the first call. Later calls only find that out. Task context.
 */
void btf_vmlinux_load(void);
/*
 * The kernel's own types, as /sys/kernel/btf/vmlinux shows them. NULL: btf_vmlinux_load() was not
 * called, or the kernel was built without pahole. Any context.
 */
const struct btf *btf_vmlinux(void);
/*
 * The prototype of the kernel's function at an address, in btf_vmlinux(). NULL: it is not known, or
 * the address is not the start of a function, or several functions have its name. Any context.
 */
const struct btf_type *btf_proto_at(unsigned long address);
