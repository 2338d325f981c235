/*
 * The decoder of instructions against objdump: the length, the target and the RIP-relative operand of every
 * instruction of the kernel, of busybox and of the C library.
 * sources: arch/x86_64/probes/insn.c
 */
#include "test.h"

#include "arch/probes/insn.h"
#include "kernel/errno.h"

/* What a file had. */
struct counts {
	unsigned long instructions, targets, rip_operands;
};

/* The bytes of a line of objdump, which end with a tab. */
static size_t read_bytes(const char *text, u8 *code, size_t size)
{
	unsigned byte;
	size_t n = 0;

	for (; n < size && *text != ' ' && sscanf(text, "%2x", &byte) == 1; text += 3)
		code[n++] = (u8)byte;
	return n;
}

/* The operand of "bnd jmp 401012 <main+0x2>": the last word before the name. */
static unsigned long read_target(const char *text)
{
	const char *end = strstr(text, " <");

	if (!end)
		end = text + strcspn(text, "\n");
	while (end > text && end[-1] == ' ')
		end--;
	while (end > text && end[-1] != ' ')
		end--;
	return strtoul(end, NULL, 16);
}

static bool is_relative(enum insn_flow flow)
{
	return flow == INSN_JMP || flow == INSN_JCC || flow == INSN_LOOP || flow == INSN_CALL;
}

/* A line is "  ADDRESS:\tBYTES \tTEXT". */
static void check_instruction(const char *line, const char *bytes, const char *text, struct counts *counts)
{
	unsigned long address = strtoul(line, NULL, 16);
	struct insn insn;
	u8 code[16];
	size_t n = read_bytes(bytes, code, sizeof(code));

	if (insn_decode(&insn, code, n) || insn.length != n)
		fail_msg("length %u: %s", insn.length, line);
	counts->instructions++;
	for (size_t size = 0; size < n; size++)
		if (insn_decode(&insn, code, size) != -ENODATA)
			fail_msg("%zu bytes are enough: %s", size, line);
	insn_decode(&insn, code, n);
	if (is_relative(insn_flow(&insn))) {
		if (insn_target(&insn, address) != read_target(text))
			fail_msg("target %lx: %s", insn_target(&insn, address), line);
		counts->targets++;
	}
	if (insn.rip) {
		const char *comment = strstr(text, "# ");

		if (!comment || insn_rip_address(&insn, address) != strtoul(comment + 2, NULL, 16))
			fail_msg("operand at %lx: %s", insn_rip_address(&insn, address), line);
		counts->rip_operands++;
	}
}

static void check_file(const char *path)
{
	char command[256], line[1024];
	struct counts counts = {};
	FILE *objdump;

	snprintf(command, sizeof(command), "objdump -d -w --insn-width=16 %s", path);
	objdump = popen(command, "r");
	assert_non_null(objdump);
	while (fgets(line, sizeof(line), objdump)) {
		const char *bytes = strchr(line, '\t'), *text = bytes ? strchr(bytes + 1, '\t') : NULL;

		if (text && !strstr(text, "(bad)"))
			check_instruction(line, bytes + 1, text + 1, &counts);
	}
	assert_int_equal(pclose(objdump), 0);
	printf("# %s: %lu instructions, %lu targets, %lu RIP-relative\n", path, counts.instructions, counts.targets,
	       counts.rip_operands);
	assert_true(counts.instructions > 100000 && counts.targets > 10000 && counts.rip_operands > 1000);
}

static void test_the_kernel(void **state)
{
	(void)state;
	check_file(NOP5_ROOT "/build/nop5.elf");
}

static void test_busybox(void **state)
{
	(void)state;
	check_file("/bin/busybox");
}

static void test_the_c_library(void **state)
{
	(void)state;
	check_file("/lib/x86_64-linux-gnu/libc.so.6");
}

#define CHECK(expected, ...)                                                       \
	do {                                                                       \
		static const u8 code[] = { __VA_ARGS__ };                          \
		struct insn insn;                                                  \
										   \
		assert_int_equal(insn_decode(&insn, code, sizeof(code)), expected); \
	} while (0)

static void test_what_is_no_instruction(void **state)
{
	(void)state;
	CHECK(-EINVAL, 0x06);                               /* push es: not in 64-bit mode */
	CHECK(-EINVAL, 0x0f, 0x04);
	CHECK(-EINVAL, 0x9a, 0, 0, 0, 0, 0, 0);             /* call far */
	CHECK(-EINVAL, 0x66, 0xc5, 0xf8, 0x77);             /* 66 before VEX */
	CHECK(-EINVAL, 0x48, 0xc5, 0xf8, 0x77);             /* REX before VEX */
	CHECK(0, 0xc5, 0xf8, 0x77);                         /* vzeroupper */
	CHECK(-EINVAL, 0xc5, 0xf8, 0x05);                   /* no syscall with VEX */
	CHECK(-EINVAL, 0xc4, 0xe4, 0x78, 0x10, 0xc0);       /* no map 4 */
	CHECK(-EINVAL, 0x62, 0xf1, 0x78, 0x48, 0x10, 0xc0); /* the bit of EVEX that must be 1 */
	CHECK(0, 0x62, 0xf1, 0x7c, 0x48, 0x10, 0xc0);
	CHECK(0, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90);
	CHECK(-EINVAL, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90);
}

static void test_where_it_goes_on(void **state)
{
	static const struct {
		enum insn_flow flow;
		u8 code[6];
	} all[] = {
		{ INSN_NEXT, { 0x90 } },        { INSN_JMP, { 0xeb, 0xfe } },    { INSN_JMP, { 0xe9 } },
		{ INSN_JCC, { 0x74, 0x00 } },   { INSN_JCC, { 0x0f, 0x84 } },    { INSN_LOOP, { 0xe3 } },
		{ INSN_CALL, { 0xe8 } },        { INSN_CALL_MODRM, { 0xff, 0xd0 } }, { INSN_JMP_MODRM, { 0xff, 0x20 } },
		{ INSN_NEXT, { 0xff, 0xc0 } },  { INSN_RET, { 0xc3 } },          { INSN_RET, { 0xc2, 8, 0 } },
		{ INSN_OTHER, { 0xcc } },       { INSN_OTHER, { 0x0f, 0x05 } },  { INSN_OTHER, { 0x0f, 0x0b } },
		{ INSN_OTHER, { 0x48, 0xcf } }, { INSN_NEXT, { 0xc5, 0xf8, 0x77 } },
	};
	struct insn insn;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_int_equal(insn_decode(&insn, all[i].code, sizeof(all[i].code)), 0);
		assert_int_equal(insn_flow(&insn), all[i].flow);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_kernel),
		cmocka_unit_test(test_busybox),
		cmocka_unit_test(test_the_c_library),
		cmocka_unit_test(test_what_is_no_instruction),
		cmocka_unit_test(test_where_it_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
