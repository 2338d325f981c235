/*
 * Writes to set_ftrace_pid, under libFuzzer. The set must stay a valid set of PIDs. Adding PIDs and removing them
 * again must leave it unchanged.
 *
 * sources: trace/core/pid_list.c kernel/lib/kstrtox.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/lib/bitops.h"
#include "trace/core/pid_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned long pids[PID_NUMBERS / 64 + 1];
	char *text = malloc(size ? size : 1); /* without a NUL, so that ASan sees an overrun */
	int first, second;

	memcpy(text, data, size);
	memset(pids, 0, sizeof(pids));
	first = pid_list_parse(pids, text, size);
	if (pids[PID_NUMBERS / 64])
		abort();
	second = pid_list_parse(pids, text, size);
	if (first != second)
		abort();
	free(text);
	return 0;
}
