/*
 * dis, the program of user/: it decodes all states of a call site and of a static branch. It reads a /proc/kallsyms and a
 * /proc/kcore that the tests write. The self-tests of kcore prove that the real one shows these states.
 */
#include "test.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define TEXT      0xffffffff80100000UL
#define TEXT_SIZE 0x1000
#define FUNCTION  (TEXT + 0x100)
#define OTHER     (TEXT + 0x200)
#define BRANCH    (FUNCTION + 0x20)
#define TABLE     (TEXT + 0x800)
#define POINTERS  (TEXT + 0x900)
#define KEY       (TEXT + 0xa00)
#define OFFSET    4096 /* of the text in the file */

static char directory[] = "/tmp/test_dis.XXXXXX", path[64];
static char *text;
static size_t text_size;
static FILE *out;

static const char *fake(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", directory, strrchr(name, '/') + 1);
	return path;
}

#define fopen(name, mode) fopen(fake(name), mode)
#define open(name, flags) open(fake(name), flags)
#define printf(...)       fprintf(out, __VA_ARGS__)
#define main              dis_main
#include "user/dis.c"
#undef fopen
#undef open
#undef printf
#undef main

static const char kallsyms_text[] = "ffffffff80100000 T _stext\n"
				    "ffffffff80100100 T function\n"
				    "ffffffff80100200 T other\n"
				    "ffffffff80100300 t last\n"
				    "ffffffff80100900 d jump_entries_sorted\n"
				    "ffffffff80100908 d jump_entries_end\n"
				    "ffffffff80100a00 d some_key\n"
				    "ffffffff80100b00 d behind\n"
				    "ffffffffa0000000 t trampoline\t[__builtin__ftrace]\n";

static uint8_t memory[TEXT_SIZE];

static void poke(unsigned long address, const void *bytes, size_t size)
{
	memcpy(memory + (address - TEXT), bytes, size);
}

/* Writes an instruction of five bytes with a distance: e8 or e9. */
static void poke_branch(unsigned long address, uint8_t opcode, unsigned long target)
{
	int32_t distance = (int32_t)(target - address - 5);

	poke(address, &opcode, 1);
	poke(address + 1, &distance, sizeof(distance));
}

static int write_file(const char *name, const void *data, size_t size, long offset)
{
	FILE *file = fopen(fake(name), offset ? "r+" : "w");

	assert_non_null(file);
	assert_int_equal(fseek(file, offset, SEEK_SET), 0);
	assert_int_equal(fwrite(data, 1, size, file), size);
	return fclose(file);
}

/* Runs `dis NAME` on the memory as it is, and compares what it prints behind the first `skipped` lines. */
static void expect_behind(int skipped, const char *name, int status, const char *printed)
{
	struct {
		Elf64_Ehdr elf;
		Elf64_Phdr part;
	} head = {
		.elf = { .e_phoff = sizeof(Elf64_Ehdr), .e_phnum = 1 },
		.part = { .p_type = PT_LOAD, .p_offset = OFFSET, .p_vaddr = TEXT, .p_filesz = TEXT_SIZE },
	};
	char command[] = "dis", *argv[] = { command, (char *)name, NULL };
	char *lines;

	write_file("/proc/kcore", &head, sizeof(head), 0);
	write_file("/proc/kcore", memory, sizeof(memory), OFFSET);
	write_file("/proc/kallsyms", kallsyms_text, sizeof(kallsyms_text) - 1, 0);
	out = open_memstream(&text, &text_size);
	assert_int_equal(dis_main(2, argv), status);
	fclose(out);
	for (size_t i = 0; i < symbol_count; i++)
		free(symbols[i].name);
	free(symbols);
	symbols = NULL;
	symbol_count = 0;
	close(kcore);
	lines = text;
	while (skipped--)
		lines = strchr(lines, '\n') + 1;
	assert_string_equal(lines, printed);
	free(text);
}

/* The first two lines are the name and the bytes. */
static void expect(const char *name, int status, const char *printed)
{
	expect_behind(status ? 0 : 2, name, status, printed);
}

static int fill_memory(void **state)
{
	uint64_t pointers[] = { TABLE, TABLE + sizeof(struct jump_entry) };
	struct jump_entry entry = { .code = (int32_t)BRANCH, .target = (int32_t)(FUNCTION + 0x40), .key = KEY | 1 };

	(void)state;
	memset(memory, 0x90, sizeof(memory));
	poke(POINTERS, pointers, sizeof(pointers));
	poke(TABLE, &entry, sizeof(entry));
	poke(FUNCTION, nop5, 5);
	poke(OTHER, nop5, 5);
	poke(BRANCH, nop5, 5);
	return 0;
}

static void test_the_address_and_the_bytes_come_first(void **state)
{
	(void)state;
	poke(OTHER + 5, "\x55\x48\x89\xe5", 4);
	expect_behind(0, "other", 0,
		      "ffffffff80100200 <other>:\n  0f 1f 44 00 00 55 48 89 e5 90 90 90 90 90 90 90\n  nop\n");
}

static void test_a_call_site_is_a_nop_a_call_a_jmp_or_an_int3(void **state)
{
	(void)state;
	expect("other", 0, "  nop\n");
	poke_branch(OTHER, 0xe8, FUNCTION);
	expect("other", 0, "  call ffffffff80100100 <function>\n");
	poke_branch(OTHER, 0xe9, TEXT + 0x300);
	expect("other", 0, "  jmp ffffffff80100300 <last>\n");
	poke_branch(OTHER, 0xe8, 0xffffffffa0000040);
	expect("other", 0, "  call ffffffffa0000040 <trampoline [__builtin__ftrace]>\n");
	poke(OTHER, "\xcc\x1f\x44\x00\x00", 5);
	expect("other", 0, "  int3\n");
	poke(OTHER, "\x55\x48\x89\xe5\x90", 5);
	expect("other", 0, "  no call site\n");
}

static void test_a_static_branch_is_a_nop_a_jmp_or_an_int3(void **state)
{
	(void)state;
	expect("function", 0, "  nop\n  +0x20: 0f 1f 44 00 00  nop  some_key\n");
	poke_branch(BRANCH, 0xe9, FUNCTION + 0x40);
	expect("function", 0, "  nop\n  +0x20: e9 1b 00 00 00  jmp function+0x40/0x100  some_key\n");
	poke(BRANCH, "\xcc", 1);
	expect("function", 0, "  nop\n  +0x20: cc 1b 00 00 00  int3  some_key\n");
}

static void test_what_is_no_function_is_refused(void **state)
{
	(void)state;
	expect("some_key", 1, "");
	expect("no_such_function", 1, "");
	expect("trampoline", 1, ""); /* its memory is not in the file */
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	(void)state;
	unlink(fake("/proc/kcore"));
	unlink(fake("/proc/kallsyms"));
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_the_address_and_the_bytes_come_first, fill_memory),
		cmocka_unit_test_setup(test_a_call_site_is_a_nop_a_call_a_jmp_or_an_int3, fill_memory),
		cmocka_unit_test_setup(test_a_static_branch_is_a_nop_a_jmp_or_an_int3, fill_memory),
		cmocka_unit_test_setup(test_what_is_no_function_is_refused, fill_memory),
	};

	return cmocka_run_group_tests_name("dis", tests, make_directory, remove_directory);
}
