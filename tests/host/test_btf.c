/*
 * The reader of BTF (Linux: Documentation/bpf/btf.rst): functions, parameters and members of types
 * that are written here by hand, and what damage does to them.
 * sources: kernel/btf/btf.c
 */
#include "test.h"

#include "kernel/btf/btf.h"
#include "kernel/errno.h"
#include "host_kmalloc.h"

/* The data under test, in the making. */
static struct {
	u32 types[256];
	u32 nr_words, nr_types;
	char strings[512];
	u32 str_len, first_name; /* first_name: the position of the first string */
} out;

static u32 add_name(const char *name)
{
	u32 at = out.str_len;

	if (!*name)
		return 0;
	strcpy(out.strings + at, name);
	out.str_len += (u32)strlen(name) + 1;
	return out.first_name + at;
}

static void add_word(u32 word)
{
	out.types[out.nr_words++] = word;
}

static u32 add_type(const char *name, enum btf_kind kind, u32 vlen, bool kflag, u32 size_or_type)
{
	add_word(add_name(name));
	add_word((u32)kind << 24 | vlen | (u32)kflag << 31);
	add_word(size_or_type);
	return out.nr_types++;
}

/* Types by their numbers: what the tests look for. */
static u32 int_type, uint_type, const_int, loop, pair, outer, proto, func, more;

static void add_member(const char *name, u32 type, u32 offset)
{
	add_word(add_name(name));
	add_word(type);
	add_word(offset);
}

static void make_types(void)
{
	memset(&out, 0, sizeof(out));
	out.str_len = 1;
	out.nr_types = 1;
	int_type = add_type("int", BTF_KIND_INT, 0, false, 4);
	add_word(1 << 24 | 32);
	uint_type = add_type("unsigned int", BTF_KIND_INT, 0, false, 4);
	add_word(32);
	const_int = add_type("", BTF_KIND_CONST, 0, false, int_type);
	loop = add_type("loop", BTF_KIND_TYPEDEF, 0, false, out.nr_types);
	pair = add_type("pair", BTF_KIND_STRUCT, 2, true, 8);
	add_member("first", int_type, 3 << 24 | 4); /* a bit field of 3 bits */
	add_member("second", const_int, 32);
	outer = add_type("outer", BTF_KIND_UNION, 2, false, 16);
	add_member("number", uint_type, 0);
	add_member("", pair, 64);
	proto = add_type("", BTF_KIND_FUNC_PROTO, 2, false, int_type);
	add_word(add_name("fd"));
	add_word(const_int);
	add_word(add_name("where"));
	add_word(outer);
	func = add_type("do_it", BTF_KIND_FUNC, 0, false, proto);
	more = add_type("", BTF_KIND_FUNC_PROTO, 1, false, 0);
	add_word(0);
	add_word(0);
	add_type("log_it", BTF_KIND_FUNC, 0, false, more);
}

/* The whole file. The caller frees it. */
static u8 *make_data(size_t *size)
{
	struct btf_header header = { .magic = 0xeb9f,
				     .version = 1,
				     .hdr_len = sizeof(header),
				     .type_len = out.nr_words * 4,
				     .str_off = out.nr_words * 4,
				     .str_len = out.str_len };
	u8 *data;

	*size = sizeof(header) + header.type_len + header.str_len;
	data = malloc(*size);
	memcpy(data, &header, sizeof(header));
	memcpy(data + sizeof(header), out.types, header.type_len);
	memcpy(data + sizeof(header) + header.type_len, out.strings, header.str_len);
	return data;
}

static struct btf btf;
static u8 *data;
static size_t data_size;

static int setup(void **state)
{
	(void)state;
	make_types();
	data = make_data(&data_size);
	assert_int_equal(btf_parse(&btf, data, data_size), 0);
	assert_int_equal(btf_index_funcs(&btf), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	btf_free(&btf);
	free(data);
	assert_int_equal(host_objects, 0);
	return 0;
}

static void functions_are_found_by_name(void **state)
{
	const struct btf_type *t = btf_find_func_proto(&btf, "do_it");

	(void)state;
	assert_ptr_equal(t, btf_type_by_id(&btf, proto));
	assert_int_equal(btf_vlen(t), 2);
	assert_false(btf_is_variadic(t));
	assert_string_equal(btf_name_by_offset(&btf, btf_params(t)[1].name_off), "where");
	assert_true(btf_is_variadic(btf_find_func_proto(&btf, "log_it")));
	assert_null(btf_find_func_proto(&btf, "do_i"));
	assert_null(btf_find_func_proto(&btf, ""));
	assert_null(btf_find_func_proto(&btf, "pair")); /* no function */
}

static void modifiers_are_skipped(void **state)
{
	u32 id;

	(void)state;
	assert_ptr_equal(btf_type_skip_modifiers(&btf, const_int, &id),
			 btf_type_by_id(&btf, int_type));
	assert_int_equal(id, int_type);
	assert_true(btf_int_is_signed(btf_type_by_id(&btf, int_type)));
	assert_false(btf_int_is_signed(btf_type_by_id(&btf, uint_type)));
	assert_null(btf_type_skip_modifiers(&btf, loop, NULL));
	assert_null(btf_type_skip_modifiers(&btf, 0, NULL));
}

static void members_are_found_in_unnamed_structures(void **state)
{
	const struct btf_type *t = btf_type_by_id(&btf, outer);
	const struct btf_member *m;
	u32 offset, bits;

	(void)state;
	m = btf_find_struct_member(&btf, t, "second", &offset, &bits);
	assert_non_null(m);
	assert_int_equal(m->type, const_int);
	assert_int_equal(offset, 64 + 32);
	assert_int_equal(bits, 0);
	assert_non_null(btf_find_struct_member(&btf, t, "first", &offset, &bits));
	assert_int_equal(offset, 64 + 4);
	assert_int_equal(bits, 3);
	assert_null(btf_find_struct_member(&btf, t, "third", &offset, &bits));
	assert_null(btf_find_struct_member(&btf, t, "", &offset, &bits));
}

/* Replaces a word of the types, and says what the parser makes of it. */
static int parse_with(u32 word, u32 value)
{
	u32 *words = (u32 *)(data + sizeof(struct btf_header)), old = words[word];
	struct btf damaged;
	int error;

	words[word] = value;
	error = btf_parse(&damaged, data, data_size);
	if (!error)
		btf_free(&damaged);
	words[word] = old;
	return error;
}

static void references_to_nothing_are_refused(void **state)
{
	u32 of_func = (u32)(btf.offsets[func] / 4), of_proto = (u32)(btf.offsets[proto] / 4);

	(void)state;
	assert_int_equal(parse_with(of_func + 2, proto), 0);
	assert_int_equal(parse_with(of_func + 2, int_type), -EINVAL); /* not a prototype */
	assert_int_equal(parse_with(of_func + 2, 0), -EINVAL);
	assert_int_equal(parse_with(of_func, out.str_len), -EINVAL);      /* a name */
	assert_int_equal(parse_with(of_proto + 2, out.nr_types), -EINVAL); /* the result */
	assert_int_equal(parse_with(of_proto + 3, out.str_len), -EINVAL); /* a parameter's name */
	assert_int_equal(parse_with(of_proto + 4, out.nr_types), -EINVAL); /* and its type */
	assert_int_equal(parse_with(of_func + 1, NR_BTF_KINDS << 24), -EINVAL);
}

static void every_cut_is_refused(void **state)
{
	(void)state;
	for (size_t size = 0; size < data_size; size++) {
		u8 *part = malloc(size ? size : 1); /* ASan sees what lies behind it */
		struct btf cut;

		memcpy(part, data, size);
		assert_int_equal(btf_parse(&cut, part, size), -EINVAL);
		free(part);
	}
}

static void an_allocation_that_fails_leaves_nothing(void **state)
{
	long objects = host_objects;
	struct btf other;

	(void)state;
	host_allocations_left = 0;
	assert_int_equal(btf_parse(&other, data, data_size), -ENOMEM);
	assert_int_equal(host_objects, objects);
	host_allocations_left = 1;
	assert_int_equal(btf_parse(&other, data, data_size), 0);
	assert_int_equal(btf_index_funcs(&other), -ENOMEM);
	btf_free(&other);
	assert_int_equal(host_objects, objects);
	host_allocations_left = -1;
}

#define LONG_NAME (8 << 20)

/* Nobody looks for the functions of a program, so reading them does not read names: here 800 GB. */
static void functions_that_share_a_long_name_are_not_compared(void **state)
{
	struct btf_header header = { .magic = 0xeb9f, .version = 1, .hdr_len = sizeof(header) };
	struct btf_type type = { .info = BTF_KIND_FUNC_PROTO << 24 };
	u8 *file = malloc(16 << 20), *at = file + sizeof(header);
	struct btf shared;

	(void)state;
	memcpy(at, &type, sizeof(type));
	at += sizeof(type);
	type = (struct btf_type){ .name_off = 1, .info = BTF_KIND_FUNC << 24, .type = 1 };
	for (unsigned i = 0; i < 100000; i++, at += sizeof(type))
		memcpy(at, &type, sizeof(type));
	header.type_len = header.str_off = (u32)(at - file - sizeof(header));
	header.str_len = LONG_NAME + 2;
	memcpy(file, &header, sizeof(header));
	memset(at, 'a', LONG_NAME + 1);
	at[0] = at[LONG_NAME + 1] = '\0';
	at += header.str_len;
	assert_int_equal(btf_parse(&shared, file, (size_t)(at - file)), 0);
	assert_int_equal(shared.nr_types, 100002);
	btf_free(&shared);
	free(file);
}

/* ASan sees a read outside of the data, and UBSan other nonsense. */
static void no_flipped_bit_leads_out_of_the_data(void **state)
{
	(void)state;
	for (size_t bit = 0; bit < data_size * 8; bit++) {
		struct btf flipped;
		u32 offset, bits;

		data[bit / 8] ^= (u8)(1 << bit % 8);
		if (btf_parse(&flipped, data, data_size) == 0) {
			assert_int_equal(btf_index_funcs(&flipped), 0);
			btf_find_func_proto(&flipped, "do_it");
			for (u32 id = 1; id < flipped.nr_types; id++) {
				const struct btf_type *t = btf_type_skip_modifiers(&flipped, id, NULL);

				if (t && (btf_kind(t) == BTF_KIND_STRUCT || btf_kind(t) == BTF_KIND_UNION))
					btf_find_struct_member(&flipped, t, "none", &offset, &bits);
			}
			btf_free(&flipped);
		}
		data[bit / 8] ^= (u8)(1 << bit % 8);
	}
}

/* Data that continue btf, as those of a module continue the kernel's. The caller frees them. */
static u8 *make_split(size_t *size, u32 member_type, u32 *local)
{
	u32 split_proto;

	memset(&out, 0, sizeof(out));
	out.nr_types = btf.nr_types;
	out.first_name = btf.str_len;
	*local = add_type("local", BTF_KIND_STRUCT, 1, false, 8);
	add_member("inner", member_type, 0);
	split_proto = add_type("", BTF_KIND_FUNC_PROTO, 1, false, int_type);
	add_word(add_name("it"));
	add_word(*local);
	add_type("of_module", BTF_KIND_FUNC, 0, false, split_proto);
	return make_data(size);
}

static void split_types_continue_those_of_the_base(void **state)
{
	u32 local, bit_offset, bit_size;
	const struct btf_member *member;
	const struct btf_type *t;
	struct btf split;
	size_t size;
	u8 *bytes = make_split(&size, pair, &local);

	(void)state;
	assert_int_equal(btf_parse_split(&split, &btf, bytes, size), 0);
	assert_int_equal(local, btf.nr_types);
	assert_int_equal(split.nr_types, btf.nr_types + 3);
	assert_ptr_equal(btf_type_by_id(&split, pair), btf_type_by_id(&btf, pair));
	t = btf_type_by_id(&split, local);
	assert_string_equal(btf_name_by_offset(&split, t->name_off), "local");
	t = btf_type_by_id(&split, pair);
	assert_string_equal(btf_name_by_offset(&split, t->name_off), "pair");
	t = btf_type_by_id(&split, local + 2);
	assert_string_equal(btf_name_by_offset(&split, t->name_off), "of_module");
	t = btf_type_by_id(&split, t->type);
	assert_int_equal(btf_vlen(t), 1);
	assert_int_equal(btf_params(t)[0].type, local);
	t = btf_type_by_id(&split, local);
	member = btf_find_struct_member(&split, t, "inner", &bit_offset, &bit_size);
	assert_int_equal(member->type, pair);
	btf_free(&split);

	bytes[size - 1] = 'x';
	assert_int_equal(btf_parse_split(&split, &btf, bytes, size), -EINVAL);
	free(bytes);
	bytes = make_split(&size, btf.nr_types + 3, &local);
	assert_int_equal(btf_parse_split(&split, &btf, bytes, size), -EINVAL);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(functions_are_found_by_name, setup, teardown),
		cmocka_unit_test_setup_teardown(modifiers_are_skipped, setup, teardown),
		cmocka_unit_test_setup_teardown(members_are_found_in_unnamed_structures, setup,
						teardown),
		cmocka_unit_test_setup_teardown(references_to_nothing_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(split_types_continue_those_of_the_base, setup,
						teardown),
		cmocka_unit_test_setup_teardown(every_cut_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(an_allocation_that_fails_leaves_nothing, setup,
						teardown),
		cmocka_unit_test(functions_that_share_a_long_name_are_not_compared),
		cmocka_unit_test_setup_teardown(no_flipped_bit_leads_out_of_the_data, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
