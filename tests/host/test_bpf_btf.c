/*
 * Which types of a program are accepted: Linux's rules. make soak asks the whole table of Linux's selftests
 * (tests/boot/test_bpf_btf.py); here is one for each kind of rule.
 *
 * sources: tests/host/bpf_world.c kernel/btf/btf.c
 * sources: trace/bpf/helpers/names.c trace/bpf/helpers/protos.c trace/bpf/helpers/kprobe.c
 * sources: trace/bpf/helpers/tracepoint.c trace/bpf/helpers/perf_event.c
 * sources: trace/bpf/helpers/raw_tracepoint.c trace/bpf/helpers/socket_filter.c
 * sources: trace/bpf/verifier/[a-z]*.c trace/bpf/load/[a-z]*.c
 * flags: -O1
 */
#include "test.h"

#include "bpf_world.h"
#include "kernel/btf/btf.h"
#include "kernel/errno.h"
#include "trace/bpf/load/load.h"

/* Positions of names: "a", "b", "9x", "tag". */
static const char names[] = "\0a\0b\0009x\0tag";
enum { A = 1, B = 3, BAD = 5, TAG = 8 };

#define INFO(kind, vlen)          ((u32)BTF_KIND_##kind << 24 | (vlen))
#define KFLAG                     (1u << 31)
#define TYPE(name, info, last)    (name), (info), (last)
#define INT(bytes)                TYPE(A, INFO(INT, 0), bytes), 8 * (bytes)
#define PTR(type)                 TYPE(0, INFO(PTR, 0), type)
#define CONST(type)               TYPE(0, INFO(CONST, 0), type)
#define TYPE_TAG(type)            TYPE(TAG, INFO(TYPE_TAG, 0), type)
#define ARRAY(type, index, n)     TYPE(0, INFO(ARRAY, 0), 0), type, index, n
#define STRUCT(nr, size)          TYPE(B, INFO(STRUCT, nr), size)
#define BITS_STRUCT(nr, size)     TYPE(B, INFO(STRUCT, nr) | KFLAG, size)
#define MEMBER(type, offset)      A, type, offset
#define PROTO(nr, result)         TYPE(0, INFO(FUNC_PROTO, nr), result)
#define DECL_TAG(type, component) TYPE(TAG, INFO(DECL_TAG, 0), type), (u32)(component)

#define TYPES(...)                                                                                 \
	sizeof((const u32[]){ __VA_ARGS__ }) / 4,                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

static const struct {
	const char *what;
	int error;
	const char *words; /* in the log */
	u32 nr_words;
	u32 types[64];
} cases[] = {
	{ "a structure with a number", 0, "", TYPES(INT(4), STRUCT(1, 4), MEMBER(1, 0)) },
	{ "a list leads back to itself", 0, "", TYPES(STRUCT(1, 8), MEMBER(2, 0), PTR(1)) },
	{ "a pointer to a modified pointer", 0, "", TYPES(PTR(2), CONST(3), PTR(0)) },
	{ "an array in an array", 0, "",
	  TYPES(INT(4), ARRAY(1, 1, 3), ARRAY(2, 1, 2), STRUCT(1, 24), MEMBER(3, 0)) },
	{ "a bit field", 0, "", TYPES(INT(4), BITS_STRUCT(1, 4), MEMBER(1, 5u << 24 | 3)) },
	{ "a function", 0, "", TYPES(INT(4), PROTO(1, 1), B, 1, TYPE(A, INFO(FUNC, 1), 2)) },
	{ "tags before a modifier", 0, "", TYPES(TYPE_TAG(2), CONST(3), INT(4)) },

	{ "a structure in itself", -EEXIST, "Loop detected", TYPES(STRUCT(1, 4), MEMBER(1, 0)) },
	{ "a pointer to itself by modifiers", -EEXIST, "Loop detected",
	  TYPES(PTR(2), CONST(3), PTR(1)) },
	{ "an array of itself", -EEXIST, "Loop detected", TYPES(INT(4), ARRAY(2, 1, 1)) },
	{ "a name that begins with a digit", -EINVAL, "Invalid name",
	  TYPES(TYPE(BAD, INFO(STRUCT, 0), 4)) },
	{ "a pointer with a name", -EINVAL, "Invalid name", TYPES(TYPE(A, INFO(PTR, 0), 0)) },
	{ "a bit without meaning", -EINVAL, "Invalid btf_info",
	  TYPES(TYPE(A, INFO(STRUCT, 0) | 1u << 29, 4)) },
	{ "a number with more bits than bytes", -EINVAL, "nr_bits exceeds type_size",
	  TYPES(TYPE(A, INFO(INT, 0), 1), 32) },
	{ "a number with an unknown encoding", -ENOTSUPP, "Unsupported encoding",
	  TYPES(TYPE(A, INFO(INT, 0), 4), 3u << 24 | 32) },
	{ "a pointer with members", -EINVAL, "vlen != 0", TYPES(TYPE(0, INFO(PTR, 1), 0)) },
	{ "an index that is no number", -EINVAL, "Invalid index",
	  TYPES(INT(4), PTR(0), ARRAY(1, 2, 1)) },
	{ "an array without elements' size", -EINVAL, "Invalid elem",
	  TYPES(INT(4), CONST(0), ARRAY(2, 1, 1)) },
	{ "an array that is too large", -EINVAL, "Array size overflows U32_MAX",
	  TYPES(INT(4), ARRAY(1, 1, 0x40000000)) },
	{ "members in the wrong order", -EINVAL, "Invalid member bits_offset",
	  TYPES(INT(4), STRUCT(2, 8), MEMBER(1, 32), MEMBER(1, 0)) },
	{ "a member behind the end", -EINVAL, "Member exceeds struct_size",
	  TYPES(INT(4), STRUCT(1, 4), MEMBER(1, 8)) },
	{ "a pointer between bytes", -EINVAL, "Member is not byte aligned",
	  TYPES(PTR(0), STRUCT(1, 16), MEMBER(1, 4)) },
	{ "a bit field of more bits than its type", -EINVAL, "Invalid member bitfield_size",
	  TYPES(INT(1), BITS_STRUCT(1, 4), MEMBER(1, 9u << 24)) },
	{ "a bit field that is a pointer", -EINVAL, "Invalid member bitfield_size",
	  TYPES(PTR(0), BITS_STRUCT(1, 8), MEMBER(1, 8u << 24)) },
	{ "a value without a name", -EINVAL, "Invalid name",
	  TYPES(TYPE(A, INFO(ENUM, 1), 4), 0, 1) },
	{ "an enum of 3 bytes", -EINVAL, "Unexpected size", TYPES(TYPE(A, INFO(ENUM, 0), 3)) },
	{ "a function with a parameter that has no name", -EINVAL, "Invalid arg#1",
	  TYPES(INT(4), PROTO(1, 1), 0, 1, TYPE(A, INFO(FUNC, 0), 2)) },
	{ "a function that returns a forward declaration", -EINVAL, "Invalid return type",
	  TYPES(TYPE(A, INFO(FWD, 0), 0), PROTO(0, 1)) },
	{ "a variable without a size", -EINVAL, "Invalid type_id",
	  TYPES(TYPE(A, INFO(FWD, 0), 0), TYPE(B, INFO(VAR, 0), 1), 0) },
	{ "a section that lists a number", -EINVAL, "Not a VAR kind member",
	  TYPES(INT(4), TYPE(B, INFO(DATASEC, 1), 4), 1, 0, 4) },
	{ "variables over each other", -EINVAL, "Invalid offset",
	  TYPES(INT(4), TYPE(B, INFO(VAR, 0), 1), 0, TYPE(A, INFO(DATASEC, 2), 8), 2, 0, 4, 2, 2,
		4) },
	{ "a tag of a member that is not there", -EINVAL, "Invalid component_idx",
	  TYPES(INT(4), STRUCT(1, 4), MEMBER(1, 0), DECL_TAG(2, 1)) },
	{ "a tag of a number", -EINVAL, "Invalid type_id", TYPES(INT(4), DECL_TAG(1, -1)) },
	{ "tags behind a modifier", -EINVAL, "Type tags don't precede modifiers",
	  TYPES(CONST(2), TYPE_TAG(3), INT(4)) },
};

static char text[256];

static void take(struct bpf_verifier_log *log, const char *line, size_t len)
{
	(void)log;
	snprintf(text, sizeof(text), "%.*s", (int)len, line);
}

static int judge(const u32 *types, u32 nr_words)
{
	struct bpf_verifier_log log = { .level = 1, .write = take };
	struct btf_header header = { .magic = 0xeb9f,
				     .version = 1,
				     .hdr_len = sizeof(header),
				     .type_len = nr_words * 4,
				     .str_off = nr_words * 4,
				     .str_len = sizeof(names) };
	size_t size = sizeof(header) + header.type_len + sizeof(names);
	u8 *data = malloc(size);
	struct btf btf;
	int error;

	memcpy(data, &header, sizeof(header));
	memcpy(data + sizeof(header), types, header.type_len);
	memcpy(data + sizeof(header) + header.type_len, names, sizeof(names));
	text[0] = '\0';
	assert_int_equal(btf_parse(&btf, data, size), 0);
	error = bpf_btf_check(&btf, &log);
	btf_free(&btf);
	free(data);
	assert_int_equal(world_leaks(), 0);
	return error;
}

static void types_are_judged_as_on_linux(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int error = judge(cases[i].types, cases[i].nr_words);

		if (error != cases[i].error || !strstr(text, cases[i].words))
			fail_msg("%s: %d instead of %d, and \"%s\"", cases[i].what, error,
				 cases[i].error, text);
	}
}

/* Pointers behind each other, each to the next one. */
static int judge_chain(u32 length)
{
	u32 types[3 * 64];

	for (u32 i = 0; i < length; i++) {
		types[3 * i] = 0;
		types[3 * i + 1] = INFO(PTR, 0);
		types[3 * i + 2] = i + 1 < length ? i + 2 : 0;
	}
	return judge(types, 3 * length);
}

static void a_search_is_32_types_deep(void **state)
{
	(void)state;
	assert_int_equal(judge_chain(32), 0);
	assert_int_equal(judge_chain(33), -E2BIG);
	assert_non_null(strstr(text, "Exceeded max resolving depth:32"));
}

#define PARAMS 0xffffu
#define FUNCS  1000000u

/* Looking at each parameter for each function would be 65 billion steps. */
static void functions_may_share_a_large_prototype(void **state)
{
	u32 nr_words = 4 + 3 + 2 * PARAMS + 3 * FUNCS;
	u32 *types = malloc(nr_words * 4), *at = types;

	(void)state;
	memcpy(at, (u32[]){ INT(4), PROTO(PARAMS, 1) }, 7 * 4);
	at += 7;
	for (u32 i = 0; i < PARAMS; i++, at += 2)
		memcpy(at, (u32[]){ B, 1 }, 8);
	for (u32 i = 0; i < FUNCS; i++, at += 3)
		memcpy(at, (u32[]){ TYPE(A, INFO(FUNC, 0), 2) }, 12);
	assert_int_equal(judge(types, nr_words), 0);
	free(types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_are_judged_as_on_linux),
		cmocka_unit_test(a_search_is_32_types_deep),
		cmocka_unit_test(functions_may_share_a_large_prototype),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
