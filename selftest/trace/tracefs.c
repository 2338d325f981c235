/* Functions for the self-tests of tracing: read and write files of tracefs. */
#include "selftest/trace/tracefs.h"

#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/files.h"
#include "selftest/lib/ftrace_targets.h"

char text[TRACE_TEXT_SIZE];

static struct file *open_named(const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s", *name == '/' ? "" : TRACING, name);
	return file_open(path, flags);
}

long put_mode(const char *name, const char *data, size_t length, int mode)
{
	struct file *file = open_named(name, O_WRONLY | mode);
	long ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = file_write(file, data, length);
	fput(file);
	return ret < 0 ? ret : 0;
}

long put(const char *name, const char *data)
{
	return put_mode(name, data, strlen(data), O_TRUNC);
}

long put_patiently(const char *name, const char *data, int mode)
{
	long error;

	while ((error = put_mode(name, data, strlen(data), mode)) == -ENOMEM)
		msleep(1);
	return error;
}

long get_into(const char *name, char *buf, size_t size)
{
	struct file *file = open_named(name, O_RDONLY | O_NONBLOCK);
	long ret, length = 0;

	if (IS_ERR(file))
		return PTR_ERR(file);
	while ((size_t)length < size - 1) {
		ret = file_read(file, buf + length, size - 1 - (size_t)length);
		if (ret <= 0)
			break;
		length += ret;
	}
	fput(file);
	buf[length] = '\0';
	return length;
}

long get_patiently(const char *name, char *buf, size_t size)
{
	long length;

	/* 0: the file was open, but there was no memory to read it */
	while (!(length = get_into(name, buf, size)) || length == -ENOMEM)
		msleep(1);
	return length;
}

long rmdir_patiently(const char *path)
{
	long error;

	while ((error = do_rmdirat(AT_FDCWD, path)) == -ENOMEM)
		msleep(1);
	return error;
}

const char *get(const char *name)
{
	text[0] = '\0';
	get_into(name, text, sizeof(text));
	return text;
}

noinline bool trace_one_call(void)
{
	bool ok = put("set_ftrace_filter", "ftrace_target_add") == 0 &&
		  put("current_tracer", "function") == 0;

	put("tracing_on", "1");
	ftrace_target_add(1, 2);
	put("tracing_on", "0");
	return ok;
}

void reset(void)
{
	put("current_tracer", "nop");
	put("set_ftrace_filter", "");
	put("set_ftrace_pid", "");
	put("set_ftrace_notrace_pid", "");
	put("tracing_on", "1");
	put("trace", "");
}

const char *const probe_commands[NR_PROBE_COMMANDS] = {
	"traceon",
	"traceoff",
	"traceon:3",
	"traceoff:2",
	"stacktrace",
	"stacktrace:5",
	"snapshot",
	"snapshot:1",
	"dump",
	"cpudump",
	"enable_event:sched:sched_waking:2",
	"disable_event:sched:sched_waking",
};

void remove_probes(const char *filter)
{
	char word[48];

	for (unsigned i = 0; i < NR_PROBE_COMMANDS; i++) {
		snprintf(word, sizeof(word), "!*:%s", probe_commands[i]);
		put_patiently(filter, word, O_APPEND); /* fails if the probe does not exist */
	}
}
