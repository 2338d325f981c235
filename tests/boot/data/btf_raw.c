/*
 * Loads the types of Linux's selftests prog_tests/btf.c, and makes the maps that use them. raw_tests.h is the table raw_tests[] there.
 * Prints for each test: its name, and what happened: "loaded, map made", "loaded, no map", or "refused: " and the last line of the
 * log; then what the table expects, with a part of that line.
 *
 * With the argument text: runs the tests of the files of pinned maps there, pinned.h. Each prints its name, and what it says: "OK" or
 * the line that is wrong. With the argument endless: reads a map that cannot be printed.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "test_btf.h"
#include "raw_tests.h"

static char log_text[65536];

/* The word that stands for the name with that number, from 1 on: where it is. */
static unsigned position(const struct btf_raw_test *test, unsigned number)
{
	const char *s = test->str_sec;

	while (number--)
		s += strlen(s) + 1;
	return (unsigned)(s - test->str_sec);
}

/* Returns the size. */
static unsigned make(const struct btf_raw_test *test, char *to)
{
	struct btf_header header = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(header) };
	unsigned words = MAX_NR_RAW_U32, names = 0, *types = (unsigned *)(to + sizeof(header));

	while (test->raw_types[--words] != BTF_END_RAW)
		;
	for (unsigned i = 0; i < words; i++) {
		unsigned word = test->raw_types[i];

		types[i] = word == NAME_TBD ? position(test, ++names) : IS_NAME_NTH(word) ? position(test, GET_NAME_NTH_IDX(word)) : word;
	}
	memcpy(types + words, test->str_sec, test->str_sec_size);
	header.hdr_len += test->hdr_len_delta;
	header.type_off = test->type_off_delta;
	header.type_len = words * 4;
	header.str_off = words * 4 + test->str_off_delta;
	header.str_len = test->str_sec_size + test->str_len_delta;
	memcpy(to, &header, sizeof(header));
	return sizeof(header) + words * 4 + test->str_sec_size;
}

static int load(const char *data, unsigned size)
{
	union bpf_attr attr = { .btf = (unsigned long)data, .btf_size = size, .btf_log_level = 1, .btf_log_buf = (unsigned long)log_text,
				.btf_log_size = sizeof(log_text) };

	return syscall(SYS_bpf, BPF_BTF_LOAD, &attr, sizeof(attr));
}

static int make_map(const struct btf_raw_test *test, int btf)
{
	union bpf_attr attr = { .map_type = test->map_type, .key_size = test->key_size, .value_size = test->value_size,
				.max_entries = test->max_entries, .btf_fd = btf, .btf_key_type_id = test->key_type_id,
				.btf_value_type_id = test->value_type_id };

	strncpy(attr.map_name, test->map_name ? test->map_name : "", sizeof(attr.map_name) - 1);
	return syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

static const char *last_line(void)
{
	size_t len = strlen(log_text);
	char *newline;

	if (len && log_text[len - 1] == '\n')
		log_text[len - 1] = '\0';
	newline = strrchr(log_text, '\n');
	return newline ? newline + 1 : log_text;
}

static void report(const struct btf_raw_test *test, int btf, int map)
{
	const char *verdicts[] = { "loaded, map made", "loaded, no map", "refused: " };
	int expected = test->btf_load_err ? 2 : test->map_create_err;

	printf("%s | %s%s | %s%s\n", test->descr, verdicts[btf < 0 ? 2 : map < 0], btf < 0 ? last_line() : "", verdicts[expected],
	       test->btf_load_err && test->err_str ? test->err_str : "");
}

/* ---- pinned maps: what pinned.h calls ---- */

#define ARRAY_SIZE(array)         (sizeof(array) / sizeof(*(array)))
#define round_up(number, unit)    (((number) + (unit) - 1) / (unit) * (unit))
#define CHECK(wrong, ...)         ((wrong) ? fprintf(stderr, __VA_ARGS__), true : false)
#define LIBBPF_OPTS(type, name)   struct type name = {}
#define load_raw_btf(data, size)  load(data, size)
#define test__start_subtest(name) (fprintf(stderr, "\n%s: ", name), true)

static const bool always_log;

struct bpf_map_create_opts {
	int btf_fd, btf_key_type_id, btf_value_type_id;
};

static void *btf_raw_create(const struct btf_header *unused, const unsigned *types, const char *names, int size, unsigned *raw_size, void *none)
{
	struct btf_raw_test test = { .str_sec = names, .str_sec_size = size };
	char *raw = malloc(sizeof(struct btf_header) + sizeof(test.raw_types) + size);

	memcpy(test.raw_types, types, sizeof(test.raw_types));
	*raw_size = make(&test, raw);
	return raw;
}

static int bpf_map_create(int type, const char *name, int key_size, int value_size, int entries, struct bpf_map_create_opts *opts)
{
	struct btf_raw_test test = { .map_type = type, .map_name = name, .key_size = key_size, .value_size = value_size,
				     .key_type_id = opts->btf_key_type_id, .value_type_id = opts->btf_value_type_id, .max_entries = entries };

	return make_map(&test, opts->btf_fd);
}

static int bpf_obj_pin(int fd, const char *path)
{
	union bpf_attr attr = { .bpf_fd = fd, .pathname = (unsigned long)path };

	return syscall(SYS_bpf, BPF_OBJ_PIN, &attr, sizeof(attr));
}

static int bpf_map_update_elem(int fd, const void *key, const void *value, unsigned long long flags)
{
	union bpf_attr attr = { .map_fd = fd, .key = (unsigned long)key, .value = (unsigned long)value, .flags = flags };

	return syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr));
}

static int bpf_num_possible_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_CONF);
}

#include "pinned.h"

/* Opens a map whose value has 2^28 structures of no bytes, and reads it: its text is larger than the kernel wants to make it. */
static void endless(void)
{
	static struct btf_raw_test test = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .key_type_id = 1, .value_type_id = 30,
					    .max_entries = 1, .str_sec = "\0int", .str_sec_size = 5 };
	unsigned *type = test.raw_types, integer[] = { BTF_TYPE_INT_ENC(1, BTF_INT_SIGNED, 0, 32, 4) };
	static char data[65536], line[4096];
	int map;

	memcpy(type, integer, sizeof(integer));
	type += 4;
	for (unsigned id = 2; id <= 30; id++) { /* a structure with two of the one before; the last one has a number, too */
		unsigned inner = id == 2 ? 0 : id - 1, members = inner ? 2 : 0, last = id == 30;
		unsigned header[] = { BTF_TYPE_ENC(0, BTF_INFO_ENC(BTF_KIND_STRUCT, 0, members + last), 4 * last) };

		memcpy(type, header, sizeof(header));
		type += 3;
		for (unsigned i = 0; i < members + last; i++, type += 3)
			memcpy(type, (unsigned[]){ 0, i < 2 ? inner : 1, 0 }, 12);
	}
	*type = BTF_END_RAW;
	map = make_map(&test, load(data, make(&test, data)));
	printf("made %d, pinned %d\n", map >= 0, bpf_obj_pin(map, "/sys/fs/bpf/endless"));
	map = open("/sys/fs/bpf/endless", O_RDONLY);
	while (read(map, line, sizeof(line)) > 0)
		;
	printf("read: %s\n", strerror(errno));
}

int main(int argc, char **argv)
{
	static char data[sizeof(struct btf_header) + 4 * MAX_NR_RAW_U32 + 65536];

	if (argc == 2 && !strcmp(argv[1], "text")) {
		test_pprint();
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "endless")) {
		endless();
		return 0;
	}
	for (unsigned i = 0; i < sizeof(raw_tests) / sizeof(*raw_tests); i++) {
		int btf, map;

		log_text[0] = '\0';
		btf = load(data, make(&raw_tests[i], data));
		map = btf < 0 ? -1 : make_map(&raw_tests[i], btf);
		report(&raw_tests[i], btf, map);
		close(map);
		close(btf);
	}
	return 0;
}
