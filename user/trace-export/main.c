/*
 * trace-export sends a trace, and everything that a reader of the trace needs, through the second
 * serial port. docs/trace-export.md describes the protocol; scripts/trace-record is the receiver.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "export.h"

#define NSEC_PER_SEC  1000000000UL
#define NSEC_PER_MSEC 1000000UL

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_nsec;
}

static int usage(void)
{
	fprintf(stderr, "Usage: trace-export [-f|-l] [-d DEVICE] [INSTANCE]\n");
	return 2;
}

int failed(const char *what, long error)
{
	if (error != -EINTR)
		fprintf(stderr, "trace-export: %s: %s\n", what, strerror((int)-error));
	return 1;
}

/* Writes text to a file of the trace array. 0 or an error. */
static int put(const struct trace_export *x, const char *name, int flags, const char *text)
{
	char path[PATH_SIZE];
	long fd, error;

	snprintf(path, sizeof(path), "%s/%s", x->top, name);
	fd = result(open(path, O_WRONLY | flags));
	if (fd < 0)
		return (int)fd;
	error = result(write((int)fd, text, strlen(text)));
	close((int)fd);
	return error < 0 ? (int)error : 0;
}

/* True while tracing_on is 1. */
static bool is_on(const struct trace_export *x)
{
	char path[PATH_SIZE], text = '0';
	long fd;

	snprintf(path, sizeof(path), "%s/tracing_on", x->top);
	fd = result(open(path, O_RDONLY));
	if (fd < 0)
		return false;
	(void)!read((int)fd, &text, 1);
	close((int)fd);
	return text == '1';
}

#define EXCLUDED "set_ftrace_notrace_pid"

/*
 * Adds this task to the tasks whose calls are not traced, because its own calls would fill the trace
 * that it sends. Ignores -ENOENT: without a PID filter the file does not exist.
 */
static int exclude_current(const struct trace_export *x)
{
	char text[16];
	int error;

	snprintf(text, sizeof(text), "%d", getpid());
	error = put(x, EXCLUDED, O_APPEND, text);
	return error == -ENOENT ? 0 : error;
}

/* Copies the PIDs of the file but that of this task. */
static void other_pids(FILE *file, char *text, size_t size)
{
	char line[16];
	size_t used = 0;

	text[0] = '\0';
	while (fgets(line, sizeof(line), file) && used + sizeof(line) < size)
		if (line[0] >= '0' && line[0] <= '9' && atoi(line) != getpid())
			used += (size_t)snprintf(text + used, size - used, "%s", line);
}

/* Takes it off the list. A PID can be added to the file, but not removed: the list is written again. */
static int include_current(const struct trace_export *x)
{
	static char others[65536];
	char path[PATH_SIZE];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", x->top, EXCLUDED);
	file = fopen(path, "r");
	if (!file)
		return 0;
	other_pids(file, others, sizeof(others));
	fclose(file);
	return put(x, EXCLUDED, O_TRUNC, others);
}

/* Kernels before Linux 6.8 have no such file, and sub-buffers of one page. */
static void read_page_size(struct trace_export *x)
{
	char path[PATH_SIZE], text[16] = "";
	unsigned kib;
	int fd;

	snprintf(path, sizeof(path), "%s/buffer_subbuf_size_kb", x->top);
	fd = open(path, O_RDONLY);
	x->page_size = PAGE_SIZE;
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && sscanf(text, "%u", &kib) == 1)
		x->page_size = kib << 10;
	close(fd);
}

static int send_hello(struct trace_export *x)
{
	char version[256] = "";
	int fd = open("/proc/version", O_RDONLY);
	size_t n;

	if (fd >= 0 && read(fd, version, sizeof(version) - 1) > 0)
		version[strcspn(version, "\n")] = '\0';
	close(fd);
	read_page_size(x);
	n = (size_t)snprintf((char *)x->link.payload, EXPORT_PAYLOAD,
				     "version=%d\npage_size=%u\ncpus=%u\ninstance=%s\nmode=%s\n"
				     "uname=%s\n",
				     EXPORT_VERSION, x->page_size, x->nr_cpus,
				     x->instance ? x->instance : "",
				     x->follow   ? "follow"
				     : x->listen ? "command"
						 : "stopped",
				     version);

	return export_link_send(&x->link, EXPORT_HELLO, 0, 0, n);
}

/* error: the reason why the trace could not be sent, or 0. */
static int send_end(struct trace_export *x, int error)
{
	bool complete = x->follow || !export_asked_to_end(x);
	size_t n = (size_t)snprintf((char *)x->link.payload, EXPORT_PAYLOAD,
				     "status=%s\npages=%llu\nexit=%d\nerror=%s\n",
				     error      ? "failed"
				     : complete ? "complete"
						: "stopped",
				     (unsigned long long)x->bytes / x->page_size, x->status,
				     error ? strerror(-error) : "");

	if (export_link_send(&x->link, EXPORT_END, 0, 0, n))
		return x->link.error;
	return export_link_finish(&x->link);
}

/*
 * Sends pages while the command runs. Only then at a real-time priority, so that the command cannot
 * keep this task from sending: its task exists already, and does not inherit the priority. The rest
 * takes seconds on a slow machine, where RT throttling would stop it.
 */
static int follow_command(struct trace_export *x)
{
	struct sched_param old, first = { .sched_priority = 1 };
	int policy = (int)syscall(SYS_sched_getscheduler, 0), error;

	syscall(SYS_sched_getparam, 0, &old);
	if (old.sched_priority > first.sched_priority)
		first = old;
	syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &first);
	error = export_run_command(x, x->link.command);
	error = error ? error : export_follow(x);
	syscall(SYS_sched_setscheduler, 0, policy, &old);
	return error;
}

/* Stops tracing while it sends the pages, so that pages, names and counts agree. */
static int send_trace(struct trace_export *x)
{
	bool was_on;
	int error = 0;

	if (x->follow) {
		error = x->listen ? follow_command(x) : export_follow(x);
		if (!error && x->interrupted)
			fprintf(stderr, "trace-export: sending the rest; ^C again ends it now\n");
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
	error = error ? error : send_trace(x);
	export_close_cpus(x);
	return error;
}

static int run_export(struct trace_export *x)
{
	int error = x->follow ? exclude_current(x) : 0, again;

	if (error)
		return error;
	error = send_whole(x);
	error = error ? error : send_end(x, 0);
	again = x->follow ? include_current(x) : 0;
	return error ? error : again;
}

static void print_totals(struct trace_export *x, u64 ns)
{
	u64 rate = ns ? x->link.raw_bytes * 1000 / (ns / 1000000 + 1) : 0;

	printf("%llu pages of %u CPUs; %llu bytes, %llu on the wire, %u frames again; "
		   "%llu.%03llu s, %llu bytes/s\n",
		   (unsigned long long)x->bytes / x->page_size, x->nr_cpus, (unsigned long long)x->link.raw_bytes,
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
	int error = export_start_command(x);

	x->follow = x->link.record;
	x->bytes = 0;
	if (!error && x->follow)
		error = exclude_current(x);
	if (!error)
		error = x->follow ? send_whole(x) : run_only(x);
	if (x->follow)
		(void)include_current(x);
	export_end_command(x);
	if (!x->link.error)
		(void)send_end(x, error);
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
	u64 start = now();
	int error;

	x->link.ops = &export_port_operations;
	x->link.context = x;
	x->link.session = (u32)(start ^ start >> 32 ^ (u64)getpid() << 20) | 1;
	x->link.frames = malloc(EXPORT_WINDOW * EXPORT_FRAME_MAX);
	x->link.payload = malloc(EXPORT_PAYLOAD);
	x->link.work = malloc(sizeof(*x->link.work));
	if (!x->link.frames || !x->link.payload || !x->link.work)
		error = -ENOMEM;
	else
		error = x->listen ? serve(x) : run_export(x);
	free(x->link.work);
	free(x->link.payload);
	free(x->link.frames);
	if (error == -EINTR && x->interrupted)
		return 128 + SIGINT;
	if (error)
		return failed(x->instance ? x->instance : TRACEFS, error);
	if (!x->listen)
		print_totals(x, now() - start);
	return x->interrupted && !x->follow ? 128 + SIGINT : 0;
}

/* Parses -f, -l, -d DEVICE and an instance, in any order. 0 or an exit status. */
static int parse_arguments(struct trace_export *x, char **word, const char **device)
{
	while (*++word) {
		if (strcmp(*word, "-f") == 0)
			x->follow = true;
		else if (strcmp(*word, "-l") == 0)
			x->listen = true;
		else if (strcmp(*word, "-d") == 0 && word[1])
			*device = *++word;
		else if (**word == '-' || x->instance)
			return usage();
		else
			x->instance = *word;
	}
	return x->follow && x->listen ? usage() : 0;
}

int main(int argc, char **argv)
{
	static struct trace_export x = {
		.script = -1, .output = -1, .child_fds = { -1, -1 }, .page_size = PAGE_SIZE,
	};
	const char *device = "/dev/ttyS1";
	int status = parse_arguments(&x, argv, &device);

	(void)argc;
	snprintf(x.top, sizeof(x.top), TRACEFS "%s%s", x.instance ? "/instances/" : "", x.instance ? x.instance : "");
	export_catch_signals();
	if (!status)
		status = export_open_port(&x, device);
	if (!status) {
		status = export_to(&x);
		export_close_port(&x);
	}
	return status;
}
