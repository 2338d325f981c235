/*
 * Filters of system calls: random programs are refused or harmless. ASan watches the program and its data, which end where
 * their memory does; a checked program ends, and a result that is said to be constant is.
 * sources: kernel/seccomp/bpf.c
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernel/seccomp/bpf.h"

/* Codes of a filter: a byte of the input chooses one of them, so that the fuzzer need not find them. */
static const u16 codes[] = { 0x00, 0x01, 0x20, 0x60, 0x61, 0x80, 0x81, 0x02, 0x03, 0x04, 0x0c, 0x14, 0x1c, 0x24, 0x2c, 0x34, 0x3c, 0x44, 0x4c, 0x54, 0x5c,
			     0x64, 0x6c, 0x74, 0x7c, 0x84, 0xa4, 0xac, 0x05, 0x15, 0x1d, 0x25, 0x2d, 0x35, 0x3d, 0x45, 0x4d, 0x06, 0x16, 0x07, 0x87, 0x94 };

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	u32 length = (u32)(size / sizeof(struct sock_filter)), constant, result;
	struct sock_filter *program = malloc(length * sizeof(*program) + 1);
	u16 *words = malloc(length * sizeof(*words) + 1);
	struct seccomp_data *data = malloc(sizeof(*data));

	memcpy(program, input, length * sizeof(*program));
	for (u32 i = 0; i < length; i++)
		if (program[i].code & 1)
			program[i].code = codes[program[i].code / 2 % (sizeof(codes) / sizeof(codes[0]))];
	if (seccomp_bpf_check(program, length, words)) {
		memset(data, 0x5a, sizeof(*data));
		data->nr = input[0];
		result = seccomp_bpf_run(program, data);
		if (seccomp_bpf_is_constant(program, data, &constant)) {
			CHECK(constant == result);
			memset((u8 *)data + 8, input[size - 1], sizeof(*data) - 8);
			CHECK(seccomp_bpf_run(program, data) == constant);
		}
	}
	free(program);
	free(words);
	free(data);
	return 0;
}
