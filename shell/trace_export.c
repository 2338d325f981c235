/*
 * trace-export: a trace and all that is needed to read it elsewhere, sent through the second serial
 * port in the protocol of docs/trace-export.md; scripts/trace-record receives it.
 */
#include "fs/syscalls.h"
#include "kernel/console/tty.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"
#include "kernel/version.h"
#include "shell/export_link.h"
#include "shell/shell.h"

#define TRACEFS "/sys/kernel/tracing"

#define PATH_SIZE      128
#define DIRENTS_SIZE   1024
#define PAGES_PER_READ (EXPORT_PAYLOAD / PAGE_SIZE)
#define FOLLOW_MS      50 /* between looks at buffers that had less than a page */

struct trace_export {
	struct export_link link;
	struct call *call;
	int port;            /* descriptor of the serial port */
	bool follow;         /* -f */
	bool interrupted;    /* a signal came: finish; at a second one give up */
	char top[PATH_SIZE]; /* the directory of the trace array */
	const char *instance;
	int *cpu_fds; /* trace_pipe_raw of each CPU, -1 for one that is not there */
	unsigned nr_cpus;
	u64 pages;
};

/* ---- the line ---- */

/* A signal ended a system call: the first one is a wish to finish, and the call goes on. */
static bool go_on(struct trace_export *x, long error)
{
	if (error != -EINTR || x->interrupted)
		return false;
	x->interrupted = true;
	flush_signals(current);
	return true;
}

static int port_send(void *context, const void *data, size_t size)
{
	struct trace_export *x = context;
	const u8 *p = data;

	while (size) {
		ssize_t n = sys_write(x->port, p, size);

		if (n < 0 && !go_on(x, n))
			return (int)n;
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static long port_receive(void *context, void *buf, size_t size, int timeout_ms)
{
	struct trace_export *x = context;
	struct pollfd ready = { .fd = x->port, .events = POLLIN };
	long n = sys_poll(&ready, 1, timeout_ms);

	if (n > 0)
		n = sys_read(x->port, buf, size);
	return n < 0 && go_on(x, n) ? 0 : n;
}

static void port_waiting(void *context)
{
	struct trace_export *x = context;

	err_printf("%s: waiting for the receiver\n", x->call->command->name);
}

static const struct export_operations port_operations = { port_send, port_receive, port_waiting };

static int open_port(struct trace_export *x, const char *path)
{
	struct termios modes;
	long fd = sys_open(path, O_RDWR, 0), error;

	if (fd < 0)
		return failed(x->call, path, fd);
	error = sys_ioctl((int)fd, TCGETS, (unsigned long)&modes);
	if (!error) {
		modes.c_iflag &= ~(ICRNL | IXON);
		modes.c_oflag &= ~OPOST;
		modes.c_lflag &= ~(ECHO | ICANON | ISIG | IEXTEN);
		error = sys_ioctl((int)fd, TCSETS, (unsigned long)&modes);
	}
	if (error) {
		sys_close((int)fd);
		return failed(x->call, path, error);
	}
	x->port = (int)fd;
	return 0;
}

/* ---- files ---- */

/* A file's bytes, as `name` on the other side. One that is not there is left out. */
static int send_file(struct trace_export *x, const char *path, const char *name)
{
	size_t head = strlen(name) + 1;
	u8 flags = EXPORT_FIRST;
	long fd = sys_open(path, O_RDONLY, 0);
	ssize_t n;

	if (fd < 0)
		return fd == -ENOENT ? 0 : (int)fd;
	do {
		size_t size = head;

		memcpy(x->link.payload, name, head);
		while ((n = sys_read((int)fd, x->link.payload + size, EXPORT_PAYLOAD - size)) > 0 ||
		       go_on(x, n)) {
			size += n > 0 ? (size_t)n : 0;
			if (size == EXPORT_PAYLOAD)
				break;
		}
		if (n >= 0 && (size > head || flags) &&
		    export_link_send(&x->link, EXPORT_FILE, flags, 0, size))
			n = x->link.error;
		flags = 0;
	} while (n > 0);
	sys_close((int)fd);
	return (int)n;
}

/* A file of tracefs under its own name; from the instance's directory if it has one there. */
static int send_trace_file(struct trace_export *x, const char *name)
{
	char path[PATH_SIZE];
	struct kstat st;

	scnprintf(path, sizeof(path), "%s/%s", x->top, name);
	if (sys_stat(path, &st) == -ENOENT)
		scnprintf(path, sizeof(path), TRACEFS "/%s", name);
	return send_file(x, path, name);
}

/* Call fn for each name in a directory until it gives an error. */
static int for_each_name(struct trace_export *x, const char *path,
			 int (*fn)(struct trace_export *x, const char *directory, const char *name))
{
	long fd = sys_open(path, O_RDONLY | O_DIRECTORY, 0), n = 0;
	u8 *buf = kmalloc(DIRENTS_SIZE, GFP_KERNEL);
	int error = fd < 0 ? (int)fd : buf ? 0 : -ENOMEM;

	while (!error && (n = sys_getdents64((int)fd, buf, DIRENTS_SIZE)) > 0) {
		for (long at = 0; at < n && !error;) {
			const struct linux_dirent64 *entry = (void *)(buf + at);

			if (entry->d_name[0] != '.')
				error = fn(x, path, entry->d_name);
			at += entry->d_reclen;
		}
	}
	kfree(buf);
	if (fd >= 0)
		sys_close((int)fd);
	return error ? error : (int)min(n, 0L);
}

/* Of an event: a directory with its format. Beside it stand files like `enable`. */
static int send_format(struct trace_export *x, const char *directory, const char *name)
{
	char path[PATH_SIZE];
	int error;

	scnprintf(path, sizeof(path), "%s/%s/format", directory, name);
	error = send_file(x, path, path + strlen(TRACEFS "/"));
	return error == -ENOTDIR ? 0 : error;
}

/* A system of events: a directory of directories. Other files in events/ are none. */
static int send_formats(struct trace_export *x, const char *directory, const char *name)
{
	char path[PATH_SIZE];
	struct kstat st;

	scnprintf(path, sizeof(path), "%s/%s", directory, name);
	if (sys_stat(path, &st) || !S_ISDIR(st.st_mode))
		return 0;
	return for_each_name(x, path, send_format);
}

/* What was learned while tracing. */
static int send_names(struct trace_export *x)
{
	static const char *const names[] = { "saved_cmdlines", "saved_tgids", "printk_formats" };
	int error = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(names) && !error; i++)
		error = send_trace_file(x, names[i]);
	return error;
}

static int send_descriptions(struct trace_export *x)
{
	static const char *const names[] = { "events/header_page", "events/header_event",
					     "trace_clock", "current_tracer" };
	int error = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(names) && !error; i++)
		error = send_trace_file(x, names[i]);
	error = error ? error : for_each_name(x, TRACEFS "/events", send_formats);
	error = error ? error : send_file(x, "/proc/kallsyms", "proc/kallsyms");
	return error ? error : send_names(x);
}

static int send_stats(struct trace_export *x)
{
	char name[PATH_SIZE];
	int error = 0;

	for (unsigned cpu = 0; cpu < x->nr_cpus && !error; cpu++) {
		scnprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu);
		error = send_trace_file(x, name);
	}
	return error;
}

/* ---- pages ---- */

static int count_cpu(struct trace_export *x, const char *directory __unused, const char *name)
{
	unsigned cpu;

	if (!strncmp(name, "cpu", 3) && !kstrtouint(name + 3, 10, &cpu))
		x->nr_cpus = max(x->nr_cpus, cpu + 1);
	return 0;
}

static int open_cpus(struct trace_export *x)
{
	char path[PATH_SIZE];
	int error;

	scnprintf(path, sizeof(path), "%s/per_cpu", x->top);
	error = for_each_name(x, path, count_cpu);
	if (error)
		return error;
	x->cpu_fds = kmalloc(x->nr_cpus * sizeof(*x->cpu_fds), GFP_KERNEL);
	if (!x->cpu_fds)
		return -ENOMEM;
	for (unsigned cpu = 0; cpu < x->nr_cpus; cpu++) {
		scnprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", x->top, cpu);
		x->cpu_fds[cpu] = (int)sys_open(path, O_RDONLY | O_NONBLOCK, 0);
	}
	return 0;
}

static void close_cpus(struct trace_export *x)
{
	for (unsigned cpu = 0; x->cpu_fds && cpu < x->nr_cpus; cpu++)
		if (x->cpu_fds[cpu] >= 0)
			sys_close(x->cpu_fds[cpu]);
	kfree(x->cpu_fds);
}

/* What one CPU has, one frame at most: pages sent, or an error. */
static int send_pages(struct trace_export *x, unsigned cpu)
{
	ssize_t n = PAGE_SIZE;
	int pages = 0;

	while (pages < (int)PAGES_PER_READ && n == PAGE_SIZE) {
		n = sys_read(x->cpu_fds[cpu], x->link.payload + (size_t)pages * PAGE_SIZE,
			     PAGE_SIZE);
		pages += n == PAGE_SIZE;
	}
	if (n < 0 && n != -EAGAIN && !go_on(x, n))
		return (int)n;
	x->pages += (u64)pages;
	return pages && export_link_send(&x->link, EXPORT_PAGES, 0, (u16)cpu,
					 (size_t)pages * PAGE_SIZE)
		       ? x->link.error
		       : pages;
}

/* A look at each CPU: the most pages that one of them had, or an error. */
static int send_all_pages(struct trace_export *x)
{
	int most = 0;

	for (unsigned cpu = 0; cpu < x->nr_cpus && most >= 0; cpu++) {
		int pages = x->cpu_fds[cpu] >= 0 ? send_pages(x, cpu) : 0;

		most = pages < 0 ? pages : max(most, pages);
	}
	return most;
}

static bool asked_to_end(const struct trace_export *x)
{
	return x->interrupted || x->link.stop;
}

/* A page that is not full is given too, so a CPU without much to say is not asked too often. */
static int follow(struct trace_export *x)
{
	int pages = 0;

	while (pages >= 0 && !asked_to_end(x)) {
		pages = send_all_pages(x);
		if (pages >= 0 && pages < 2 && export_link_poll(&x->link, FOLLOW_MS))
			pages = x->link.error;
	}
	return min(pages, 0);
}

/* Nothing is written any more: until nothing is left, or the user has had enough. */
static int drain(struct trace_export *x)
{
	int pages;

	do
		pages = send_all_pages(x);
	while (pages > 0 && (x->follow || !asked_to_end(x)));
	return min(pages, 0);
}

/* ---- the whole ---- */

/* Write text to a file of the trace array: 0 or an error. */
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

/* Is it tracing now? */
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
 * What this task does while it sends would fill the trace that it sends. An -ENOENT is none: a
 * tracer that knows no PIDs has no such file.
 */
static int trace_me_not(const struct trace_export *x, bool take_out)
{
	char text[16];
	int error;

	scnprintf(text, sizeof(text), "%s%d", take_out ? "!" : "", current->pid);
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
				     x->follow ? "follow" : "stopped", version_banner);

	return export_link_send(&x->link, EXPORT_HELLO, 0, 0, n);
}

static int send_end(struct trace_export *x)
{
	bool complete = x->follow || !asked_to_end(x);
	size_t n = (size_t)scnprintf((char *)x->link.payload, EXPORT_PAYLOAD,
				     "status=%s\npages=%llu\n", complete ? "complete" : "stopped",
				     (unsigned long long)x->pages);

	if (export_link_send(&x->link, EXPORT_END, 0, 0, n))
		return x->link.error;
	return export_link_finish(&x->link);
}

/* The trace is stopped while its pages are sent, so that they, the names and the counts agree. */
static int send_trace(struct trace_export *x)
{
	bool was_on;
	int error = 0;

	if (x->follow)
		error = follow(x);
	was_on = is_on(x);
	if (!error && was_on)
		error = put(x, "tracing_on", 0, "0");
	error = error ? error : drain(x);
	error = error ? error : send_names(x);
	error = error ? error : send_stats(x);
	if (was_on) {
		int again = put(x, "tracing_on", 0, "1");

		error = error ? error : again;
	}
	return error;
}

static int run_export(struct trace_export *x)
{
	int error = x->follow ? trace_me_not(x, false) : 0, again;

	if (error)
		return error;
	error = open_cpus(x);
	error = error ? error : send_hello(x);
	error = error ? error : send_descriptions(x);
	error = error ? error : send_trace(x);
	error = error ? error : send_end(x);
	close_cpus(x);
	again = x->follow ? trace_me_not(x, true) : 0;
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

static int export_to(struct trace_export *x)
{
	u64 start = ktime_get();
	int error;

	x->link.ops = &port_operations;
	x->link.context = x;
	x->link.session = (u32)(start ^ start >> 32 ^ (u64)current->pid << 20) | 1;
	x->link.frames = vmalloc(EXPORT_WINDOW * EXPORT_FRAME_MAX);
	x->link.payload = vmalloc(EXPORT_PAYLOAD);
	x->link.work = vmalloc(sizeof(*x->link.work));
	error = x->link.frames && x->link.payload && x->link.work ? run_export(x) : -ENOMEM;
	vfree(x->link.work);
	vfree(x->link.payload);
	vfree(x->link.frames);
	if (error)
		return failed(x->call, x->instance ? x->instance : TRACEFS, error);
	print_totals(x, ktime_get() - start);
	return x->interrupted && !x->follow ? 128 + SIGINT : 0;
}

/* -f, -d DEVICE and an instance, in any order: 0 or a status. */
static int parse_arguments(struct trace_export *x, const char **device)
{
	char **word = x->call->argv;

	for (; *word; word++) {
		if (strcmp(*word, "-f") == 0)
			x->follow = true;
		else if (strcmp(*word, "-d") == 0 && word[1])
			*device = *++word;
		else if (**word == '-' || x->instance)
			return usage(x->call);
		else
			x->instance = *word;
	}
	return 0;
}

int cmd_trace_export(struct call *call)
{
	const char *device = "/dev/ttyS1";
	struct trace_export *x = kzalloc(sizeof(*x), GFP_KERNEL);
	int status;

	if (!x)
		return failed(call, "cannot begin", -ENOMEM);
	x->call = call;
	status = parse_arguments(x, &device);
	scnprintf(x->top, sizeof(x->top), TRACEFS "%s%s", x->instance ? "/instances/" : "",
		  x->instance ? x->instance : "");
	if (!status)
		status = open_port(x, device);
	if (!status) {
		status = export_to(x);
		sys_close(x->port);
	}
	kfree(x);
	return status;
}
