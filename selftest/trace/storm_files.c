/* The storm over tracing: activity through the files in tracefs. */
#include "fs/vfs/fs.h"
#include "fs/vfs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "selftest/lib/threads.h"
#include "trace/ftrace/internal.h"
#include "selftest/trace/storm.h"
#include "selftest/trace/tracefs.h"

#define STACK_TRACER "/proc/sys/kernel/stack_tracer_enabled"

static const char *one_of(struct storm_task *task, const char *const *names, size_t count)
{
	return names[test_random(&task->seed) % count];
}
#define ONE_OF(task, ...)                                                                          \
	one_of(task, (const char *const[]){ __VA_ARGS__ },                                         \
	       sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

/* Reads a file. The content is not checked, because other tasks change it. */
static void read_all(struct storm_task *task, const char *name)
{
	char buf[256];

	/* The file or its task may be gone, the file may be empty or have another reader, and the
	 * tracer may not support it. */
	STORM_DONE(task, name, get_into(name, buf, sizeof(buf)), -ENOENT, -EAGAIN, -EBUSY, -ENODEV,
		   -ESRCH, -ENOMEM);
}

/* directory: "", or the path of an instance with a slash; the instance may be gone. */
static void put_in(struct storm_task *task, const char *directory, const char *file,
		   const char *data, int mode)
{
	char name[80];

	snprintf(name, sizeof(name), "%s%s", directory, file);
	STORM_DONE(task, name, put_mode(name, data, strlen(data), mode), -ENOENT, -ENODEV, -EBUSY,
		   -ENOMEM);
}

static void set(struct storm_task *task, const char *file, const char *data)
{
	put_in(task, "", file, data, O_TRUNC);
}

void storm_tracers(struct storm_task *task)
{
	set(task, "current_tracer", ONE_OF(task, "function", "function_graph", "nop"));
	switch (test_random(&task->seed) % 8) {
	case 0:
		set(task, "tracing_on", "0");
		set(task, "trace", "");
		break;
	case 1:
		set(task, "options/func_stack_trace", "1");
		break;
	case 2:
		set(task, ONE_OF(task, "buffer_size_kb", "per_cpu/cpu1/buffer_size_kb"),
		    ONE_OF(task, "8", "64", "500"));
		break;
	case 3:
		set(task, "options/overwrite", ONE_OF(task, "0", "1"));
		break;
	case 4:
		set(task, "trace_clock", ONE_OF(task, "local", "global", "x86-tsc", "counter"));
		break;
	}
	set(task, "options/func_stack_trace", "0");
	set(task, "tracing_on", "1");
}

void storm_filters(struct storm_task *task)
{
	set(task, ONE_OF(task, "set_ftrace_filter", "set_ftrace_notrace", "set_graph_function"),
	    ONE_OF(task, "", "*", "vfs_*", "*lock*", "ftrace_many_*", "*sched* *_read"));
	set(task, ONE_OF(task, "set_ftrace_pid", "set_ftrace_notrace_pid"),
	    ONE_OF(task, "", "1", "1 2 3"));
	set(task, "max_graph_depth", ONE_OF(task, "0", "1", "5"));
}

void storm_instances(struct storm_task *task)
{
	char directory[32], name[64], path[64];

	snprintf(directory, sizeof(directory), "instances/s%u/",
		 test_random(&task->seed) % STORM_INSTANCES);
	snprintf(path, sizeof(path), TRACING "%s", directory);
	STORM_DONE(task, "mkdir", sys_mkdir(path, 0755), -EEXIST, -ENOMEM);
	put_in(task, directory, "set_ftrace_filter",
	       ONE_OF(task, "vfs_*", "*lock*", "ftrace_*", "pipe_* !pipe_read"), O_TRUNC);
	put_in(task, directory, "current_tracer", ONE_OF(task, "function", "function_graph", "nop"),
	       O_TRUNC);
	put_in(task, directory, "snapshot", ONE_OF(task, "0", "1", "2"), O_TRUNC);
	snprintf(name, sizeof(name), "%strace_marker", directory);
	STORM_DONE(task, name, put_mode(name, "storm", 5, 0), -ENOENT, -ENODEV, -EBADF /* off */,
		   -ENOMEM);
	put_in(task, directory, "buffer_size_kb", ONE_OF(task, "8", "64"), O_TRUNC);
	/* Another task may be using the instance, or may have removed it. */
	STORM_DONE(task, "rmdir", sys_rmdir(path), -EBUSY, -ENOENT, -ENOMEM);
}

void storm_probes(struct storm_task *task)
{
	char word[64], directory[32] = "";
	const char *command = one_of(task, probe_commands, NR_PROBE_COMMANDS);
	/* Commands that print to the console get functions that are never called. */
	const char *glob = strstr(command, "dump")
				   ? "provoke_*"
				   : ONE_OF(task, "ftrace_many_*", "vfs_read", "ftrace_target_*");

	if (test_random(&task->seed) % 2)
		snprintf(directory, sizeof(directory), "instances/s%u/",
			 test_random(&task->seed) % STORM_INSTANCES);
	for (unsigned remove = 0; remove < 2; remove++) {
		char name[64];

		snprintf(name, sizeof(name), "%sset_ftrace_filter", directory);
		snprintf(word, sizeof(word), "%s%s:%s", remove ? "!" : "", glob, command);
		/* Another task may have added or removed the same probe. */
		STORM_DONE(task, word, put_mode(name, word, strlen(word), O_APPEND), -EINVAL,
			   -ENODEV, -ENOENT, -ENOMEM, -EBUSY);
	}
}

void storm_snapshots(struct storm_task *task)
{
	set(task, "snapshot", ONE_OF(task, "0", "1", "1", "1", "2"));
	read_all(task, "snapshot");
	read_all(task, "per_cpu/cpu0/snapshot");
}

void storm_stack_tracer(struct storm_task *task)
{
	set(task, STACK_TRACER, ONE_OF(task, "0", "1"));
	set(task, "stack_trace_filter", ONE_OF(task, "", "vfs_*", "*lock*"));
	set(task, "stack_max_size", "0");
	set(task, "function_profile_enabled", ONE_OF(task, "0", "1"));
	read_all(task, "stack_trace");
	read_all(task, "trace_stat/function0");
}

void storm_readers(struct storm_task *task)
{
	char stack[32];

	snprintf(stack, sizeof(stack), "/proc/%u/stack", test_random(&task->seed) % 128);
	read_all(task, stack); /* some tasks are in a traced call */
	read_all(task, ONE_OF(task, "trace", "per_cpu/cpu0/trace", "trace_pipe",
			      "per_cpu/cpu0/trace_pipe", "per_cpu/cpu0/trace_pipe_raw",
			      "per_cpu/cpu0/stats", "enabled_functions", "set_ftrace_filter",
			      "set_graph_function", "trace_options", "saved_cmdlines", "error_log",
			      "instances/s0/trace", "instances/s1/trace_pipe",
			      "instances/s2/set_ftrace_filter", "/proc/kallsyms",
			      "/sys/kernel/debug/fgraph", "/sys/kernel/debug/rcu_tasks"));
}

static char size_kb[32];

void storm_files_begin(void)
{
	const char *expanded;

	STORM_EXPECT(get_patiently("buffer_size_kb", size_kb, sizeof(size_kb)) > 0);
	expanded = strstr(size_kb, "expanded: "); /* the unexpanded state is not restored */
	if (expanded) {
		memmove(size_kb, expanded + 10, strlen(expanded + 10) + 1);
		*strchr(size_kb, ')') = '\0';
	}
}

void storm_set_back(const char *file, const char *data)
{
	long error = put_patiently(file, data, O_TRUNC);

	if (error)
		storm_fail("%s > %s: error %ld", data, file, error);
}

void storm_files_finish(void)
{
	static const char *const empty[] = { "set_ftrace_filter",      "set_ftrace_notrace",
					     "set_graph_function",     "set_ftrace_pid",
					     "set_ftrace_notrace_pid", "stack_trace_filter" };
	char path[64];

	remove_probes("set_ftrace_filter");
	for (unsigned i = 0; i < STORM_INSTANCES; i++) {
		long error;

		snprintf(path, sizeof(path), TRACING "instances/s%u", i);
		error = rmdir_patiently(path);
		if (error && error != -ENOENT)
			storm_fail("rmdir %s: error %ld", path, error);
	}
	storm_set_back("current_tracer", "nop");
	storm_set_back("function_profile_enabled", "0");
	storm_set_back(STACK_TRACER, "0");
	for (unsigned i = 0; i < ARRAY_SIZE(empty); i++)
		storm_set_back(empty[i], "");
	storm_set_back("max_graph_depth", "0");
	storm_set_back("buffer_size_kb", size_kb);
	storm_set_back("options/func_stack_trace", "0");
	storm_set_back("options/overwrite", "1");
	storm_set_back("trace_clock", "local");
	storm_set_back("snapshot", "0");
	storm_set_back("tracing_on", "1");
	storm_set_back("trace", "");
}
