/* Self-tests of error_log (trace/events/error_log.c). */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "selftest/lib/files.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/trace_array.h"
#include "trace/events/error_log.h"

SELFTEST(trace, error_log_keeps_the_last_eight_until_it_is_cleared)
{
	static const char *const errs[] = { "No such thing", "Too much" };
	static const int modes[] = { O_WRONLY, O_WRONLY | O_TRUNC, O_RDWR, O_RDWR | O_TRUNC };
	const char *line;
	char command[16];

	EXPECT_EQ(put("error_log", ""), 0);
	EXPECT(strcmp(get("error_log"), "") == 0);
	for (unsigned i = 0; i < 10; i++) {
		snprintf(command, sizeof(command), "do it %u", i);
		tracing_log_err(&global_trace, "selftest", command, errs, i % 2, 6);
	}
	line = get("error_log");
	for (unsigned i = 2; i < 10; i++) {
		char wanted[96];

		snprintf(wanted, sizeof(wanted),
			 "] selftest: error: %s\n  Command: do it %u\n                 ^\n",
			 errs[i % 2], i);
		EXPECT(*line == '[');
		line = strchr(line, ']');
		ASSERT(line && strncmp(line, wanted, strlen(wanted)) == 0);
		line += strlen(wanted);
	}
	EXPECT_EQ(*line, '\0');
	tracing_log_err(&global_trace, "selftest", "short", errs, 0, 7);
	EXPECT(strstr(get("error_log"), "Command: short\n                  ^\n"));
	EXPECT_EQ(put_mode("error_log", "x", 1, O_APPEND), 0);
	EXPECT(strstr(get("error_log"), "short"));
	EXPECT_EQ(put("error_log", ""), 0);
	EXPECT(strcmp(get("error_log"), "") == 0);
	for (unsigned i = 0; i < ARRAY_SIZE(modes); i++) {
		struct file *file = file_open(TRACING "error_log", modes[i]);

		ASSERT(!IS_ERR(file));
		EXPECT_EQ(file_seek(file, 5, SEEK_SET), 5);
		EXPECT_EQ(file_read(file, command, sizeof(command)),
			  modes[i] & O_RDWR ? 0 : -EBADF);
		fput(file);
	}
}
