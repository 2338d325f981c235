/*
 * trace-export sends a trace, and everything that a reader of the trace needs, through the second
 * serial port. docs/trace-export.md describes the protocol; scripts/trace-record is the receiver.
 */
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/time/ktime.h"
#include "kernel/boot/version.h"
#include "shell/export/export.h"

/* Writes text to a file of the trace array. 0 or an error. */
static int put(const struct trace_export *x, const char *name, int flags, const char *text)
{
	char path[PATH_SIZE];
	long fd, error;

	scnprintf(path, sizeof(path), "%s/%s", x->top, name);
	fd = sys_open(path, O_WRONLY | flags, 0);
	if (fd < 0)
		return (int)fd;
	error = sys_write((int)fd, text, strlen(text));
	sys_close((int)fd);
	return (int)min(error, 0L);
}

/* True while tracing_on is 1. */
static bool is_on(const struct trace_export *x)
{
	char path[PATH_SIZE], text = '0';
	long fd;

	scnprintf(path, sizeof(path), "%s/tracing_on", x->top);
	fd = sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return false;
	(void)!sys_read((int)fd, &text, 1);
	sys_close((int)fd);
	return text == '1';
}

/*
 * Adds this task to set_ftrace_notrace_pid, or removes it, because its own calls would fill the
 * trace that it sends. Ignores -ENOENT: without a PID filter the file does not exist.
 */
static int exclude_current(const struct trace_export *x, bool remove)
{
	char text[16];
	int error;

	scnprintf(text, sizeof(text), "%s%d", remove ? "!" : "", current->pid);
	error = put(x, "set_ftrace_notrace_pid", O_APPEND, text);
	return error == -ENOENT ? 0 : error;
}

static int send_hello(struct trace_export *x)
{
	size_t n = (size_t)scnprintf((char *)x->link.payload, EXPORT_PAYLOAD,
				     "version=%d\npage_size=%lu\ncpus=%u\ninstance=%s\nmode=%s\n"
				     "uname=%s\n",
				     EXPORT_VERSION, PAGE_SIZE, x->nr_cpus,
				     x->instance ? x->instance : "",
				     x->follow   ? "follow"
				     : x->listen ? "command"
						 : "stopped",
				     version_banner);

	return export_link_send(&x->link, EXPORT_HELLO, 0, 0, n);
}

/* error: the reason why the trace could not be sent, or 0. */
static int send_end(struct trace_export *x, int error)
{
	bool complete = x->follow || !export_asked_to_end(x);
	size_t n = (size_t)scnprintf((char *)x->link.payload, EXPORT_PAYLOAD,
				     "status=%s\npages=%llu\nexit=%d\nerror=%s\n",
				     error      ? "failed"
				     : complete ? "complete"
						: "stopped",
				     (unsigned long long)x->pages, x->status,
				     error ? errno_text(-error) : "");

	if (export_link_send(&x->link, EXPORT_END, 0, 0, n))
		return x->link.error;
	return export_link_finish(&x->link);
}

/* Stops tracing while it sends the pages, so that pages, names and counts agree. */
static int send_trace(struct trace_export *x)
{
	bool was_on;
	int error = 0;

	if (x->follow) {
		error = export_follow(x);
		if (!error && x->interrupted)
			err_printf("%s: sending the rest; ^C again ends it now\n",
				   x->call->command->name);
	}
	was_on = is_on(x);
	if (!error && was_on)
		error = put(x, "tracing_on", 0, "0");
	error = error ? error : export_drain(x);
	error = error ? error : export_send_names(x);
	error = error ? error : export_send_stats(x);
	if (was_on) {
		int again = put(x, "tracing_on", 0, "1");

		error = error ? error : again;
	}
	return error;
}

static int send_whole(struct trace_export *x)
{
	int error = export_open_cpus(x);

	error = error ? error : send_hello(x);
	error = error ? error : export_send_descriptions(x);
	if (!error && x->listen)
		error = export_run_command(x, x->link.command);
	error = error ? error : send_trace(x);
	export_close_cpus(x);
	return error;
}

static int run_export(struct trace_export *x)
{
	int error = x->follow ? exclude_current(x, false) : 0, again;

	if (error)
		return error;
	error = send_whole(x);
	error = error ? error : send_end(x, 0);
	again = x->follow ? exclude_current(x, true) : 0;
	return error ? error : again;
}

static void print_totals(struct trace_export *x, u64 ns)
{
	u64 rate = ns ? x->link.raw_bytes * 1000 / (ns / 1000000 + 1) : 0;

	out_printf(x->call,
		   "%llu pages of %u CPUs; %llu bytes, %llu on the wire, %u frames again; "
		   "%llu.%03llu s, %llu bytes/s\n",
		   (unsigned long long)x->pages, x->nr_cpus, (unsigned long long)x->link.raw_bytes,
		   (unsigned long long)x->link.wire_bytes, x->link.resent,
		   (unsigned long long)(ns / NSEC_PER_SEC),
		   (unsigned long long)(ns / NSEC_PER_MSEC % 1000), (unsigned long long)rate);
}

/* Runs a command without sending its trace. */
static int run_only(struct trace_export *x)
{
	int error = send_hello(x);

	error = error ? error : export_run_command(x, x->link.command);
	return error ? error : export_follow(x);
}

/* Serves a request. Sends an error to the receiver, if the link still works. */
static void serve_request(struct trace_export *x)
{
	enum sched_policy policy = current->policy;
	int priority = current->rt_priority, error = export_start_command(x);

	x->follow = x->link.record;
	x->pages = 0;
	if (!error && x->follow) {
		/*
		 * Real-time priority, so that the command cannot keep this task from sending. The
		 * command's task exists already and does not inherit the priority.
		 */
		(void)sched_setscheduler(current, SCHED_FIFO, max(priority, 1));
		error = exclude_current(x, false);
	}
	if (!error)
		error = x->follow ? send_whole(x) : run_only(x);
	if (x->follow)
		(void)exclude_current(x, true);
	export_end_command(x);
	if (!x->link.error)
		(void)send_end(x, error);
	(void)sched_setscheduler(current, policy, priority);
}

/* -l: serves requests until a signal comes. */
static int serve(struct trace_export *x)
{
	x->link.listens = true;
	while (!x->interrupted) {
		export_link_poll(&x->link, -1);
		if (x->link.error == -EPIPE) {
			export_link_accept(&x->link);
			serve_request(x);
		} else if (x->link.error) {
			return x->link.error;
		}
	}
	return 0;
}

static int export_to(struct trace_export *x)
{
	u64 start = ktime_get();
	int error;

	x->link.ops = &export_port_operations;
	x->link.context = x;
	x->link.session = (u32)(start ^ start >> 32 ^ (u64)current->pid << 20) | 1;
	x->link.frames = vmalloc(EXPORT_WINDOW * EXPORT_FRAME_MAX);
	x->link.payload = vmalloc(EXPORT_PAYLOAD);
	x->link.work = vmalloc(sizeof(*x->link.work));
	if (!x->link.frames || !x->link.payload || !x->link.work)
		error = -ENOMEM;
	else
		error = x->listen ? serve(x) : run_export(x);
	vfree(x->link.work);
	vfree(x->link.payload);
	vfree(x->link.frames);
	if (error == -EINTR && x->interrupted)
		return 128 + SIGINT;
	if (error)
		return failed(x->call, x->instance ? x->instance : TRACEFS, error);
	if (!x->listen)
		print_totals(x, ktime_get() - start);
	return x->interrupted && !x->follow ? 128 + SIGINT : 0;
}

/* Parses -f, -l, -d DEVICE and an instance, in any order. 0 or an exit status. */
static int parse_arguments(struct trace_export *x, const char **device)
{
	char **word = x->call->argv;

	for (; *word; word++) {
		if (strcmp(*word, "-f") == 0)
			x->follow = true;
		else if (strcmp(*word, "-l") == 0)
			x->listen = true;
		else if (strcmp(*word, "-d") == 0 && word[1])
			*device = *++word;
		else if (**word == '-' || x->instance)
			return usage(x->call);
		else
			x->instance = *word;
	}
	return x->follow && x->listen ? usage(x->call) : 0;
}

static int cmd_trace_export(struct call *call)
{
	const char *device = "/dev/ttyS1";
	struct trace_export *x = kzalloc(sizeof(*x), GFP_KERNEL);
	int status;

	if (!x)
		return failed(call, "cannot begin", -ENOMEM);
	x->call = call;
	x->script = x->output = x->child_fds[0] = x->child_fds[1] = -1;
	status = parse_arguments(x, &device);
	scnprintf(x->top, sizeof(x->top), TRACEFS "%s%s", x->instance ? "/instances/" : "",
		  x->instance ? x->instance : "");
	if (!status)
		status = export_open_port(x, device);
	if (!status) {
		status = export_to(x);
		export_close_port(x);
	}
	kfree(x);
	return status;
}
SHELL_COMMAND("trace-export", NULL, 0, "[-f|-l] [-d DEVICE] [INSTANCE]",
	      "send the trace through the second serial port", .run = cmd_trace_export);
