/*
 * Writes to set_ftrace_pid, under libFuzzer. The set must stay a valid set of PIDs, and the same text must give the same
 * set again.
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
	static struct pids_absent absent, again;
	char *text = malloc(size ? size : 1); /* without a NUL, so that ASan sees an overrun */
	int first, second;

	memcpy(text, data, size);
	memset(pids, 0, sizeof(pids));
	absent.count = 0;
	first = pid_list_parse(pids, &absent, text, size);
	if (pids[PID_NUMBERS / 64] || absent.count > PID_ABSENT_MAX)
		abort();
	for (unsigned i = 1; i < absent.count; i++)
		if (absent.pids[i - 1] >= absent.pids[i])
			abort();
	again = absent;
	second = pid_list_parse(pids, &again, text, size);
	if (first != second || again.count != absent.count)
		abort();
	free(text);
	return 0;
}
