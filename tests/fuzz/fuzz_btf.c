/*
 * The reader of BTF, under libFuzzer: what is accepted can be followed everywhere, and each name and type that
 * it gives lies in the data. The check of a program's types comes to its end, whatever they refer to.
 * sources: kernel/btf/btf.c trace/bpf/load/btf_check.c trace/bpf/load/btf_resolve.c
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "kernel/btf/btf.h"
#include "kernel/mm/vmalloc.h"
#include "tests/host/host_kmalloc.h"
#include "trace/bpf/load/load.h"

static volatile size_t sink;

void *kvzalloc(size_t size, gfp_t gfp)
{
	return kzalloc(size, gfp);
}

void kvfree(const void *object)
{
	kfree(object);
}

void __cond_resched(void)
{
}

int vscnprintf(char *text, size_t size, const char *fmt, va_list args)
{
	return vsnprintf(text, size, fmt, args);
}

void bpf_log(struct bpf_verifier_log *log, const char *fmt, ...)
{
	(void)log;
	sink += strlen(fmt);
}

static void read_name(const struct btf *btf, u32 name_off)
{
	sink += strlen(btf_name_by_offset(btf, name_off));
}

static void read_proto(const struct btf *btf, const struct btf_type *proto)
{
	CHECK(btf_kind(proto) == BTF_KIND_FUNC_PROTO);
	sink += btf_is_variadic(proto);
	for (u32 i = 0; i < btf_vlen(proto); i++) {
		const struct btf_param *param = &btf_params(proto)[i];
		const struct btf_type *t = btf_type_skip_modifiers(btf, param->type, NULL);

		read_name(btf, param->name_off);
		if (t && btf_kind(t) == BTF_KIND_INT)
			sink += btf_int_is_signed(t);
	}
}

static void read_type(const struct btf *btf, const struct btf_type *t)
{
	const struct btf_member *found;
	u32 bit_offset, bit_size;

	read_name(btf, t->name_off);
	switch (btf_kind(t)) {
	case BTF_KIND_FUNC:
		read_proto(btf, btf_type_by_id(btf, t->type));
		CHECK(btf_find_func_proto(btf, btf_name_by_offset(btf, t->name_off)));
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		/* Few types have such a member, so all members are searched. libFuzzer knows the name, too. */
		found = btf_find_struct_member(btf, t, "rare", &bit_offset, &bit_size);
		CHECK(!found || !strcmp(btf_name_by_offset(btf, found->name_off), "rare"));
		break;
	case BTF_KIND_ARRAY:
		btf_type_skip_modifiers(btf, btf_array(t)->type, NULL);
		break;
	default:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of exactly this size: ASan sees each byte that is read behind its end. */
	u8 *copy = malloc(size ? size : 1);
	struct btf btf;

	memcpy(copy, data, size);
	if (btf_parse(&btf, copy, size) == 0) {
		CHECK(btf_index_funcs(&btf) == 0);
		for (u32 id = 1; id < btf.nr_types; id++)
			read_type(&btf, btf_type_by_id(&btf, id));
		bpf_btf_check(&btf, NULL);
		btf_free(&btf);
	}
	CHECK(!host_objects);
	free(copy);
	return 0;
}
