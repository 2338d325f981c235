/* Commands on what the system has: files, tasks, memory, messages. */
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/time/ktime.h"
#include "shell/shell.h"

/* Gives 1 when it is time to stop. */
static long ls_one(void *arg, const char *path, const char *name)
{
	char mode[] = "?rwxrwxrwx", size[24], target[256];
	struct call *call = arg;
	struct kstat st;
	long n = sys_lstat(path, &st);

	if (n) {
		call->status = failed(call, path, n);
	} else if (!option(call, 'l', 0)) {
		out_printf(call, "%s\n", name);
	} else {
		mode[0] = "?pc?d?b?-?l?s???"[st.st_mode >> 12];
		for (unsigned i = 0; i < 9; i++)
			if (!(st.st_mode & (0400U >> i)))
				mode[1 + i] = '-';
		if (S_ISCHR(st.st_mode))
			sprintf(size, "%3u, %3u", MAJOR(st.st_rdev), MINOR(st.st_rdev));
		else
			sprintf(size, "%lu", (unsigned long)st.st_size);
		if (S_ISLNK(st.st_mode))
			n = max(sys_readlink(path, target, sizeof(target)), 0L);
		out_printf(call, "%s %3u root root %8s %s%s%.*s\n", mode, st.st_nlink, size, name,
			   n ? " -> " : "", (int)n, target);
	}
	return stopped(call);
}

static int cmd_ls(struct call *call)
{
	int i = 0;

	do {
		const char *path = call->argc ? call->argv[i] : ".";
		struct kstat st;
		/* With details a link is shown itself, and not what it leads to. */
		long error = option(call, 'l', 0) ? sys_lstat(path, &st) : sys_stat(path, &st);

		if (!error)
			error = S_ISDIR(st.st_mode) ? scan_directory(path, ls_one, call)
						    : ls_one(call, path, path);
		if (error < 0)
			call->status = failed(call, path, error);
	} while (++i < call->argc && !stopped(call));
	return call->status;
}
SHELL_COMMAND("ls", "l", 0, "[-l] [PATH]...", "list directories (-l: with details)", .run = cmd_ls);

static long make_directory(const char *path)
{
	return sys_mkdir(path, 0777);
}
SHELL_COMMAND("mkdir", "", 1, "DIR...", "make directories", .path = make_directory);
SHELL_COMMAND("rmdir", "", 1, "DIR...", "remove empty directories", .path = sys_rmdir);
SHELL_COMMAND("rm", "", 1, "FILE...", "remove files", .path = sys_unlink);

#define STAT_FIELDS 37 /* of /proc/PID/stat behind the name (proc(5)), as far as ps wants them */

static long ps_one(void *arg, const char *path, const char *name)
{
	char *fields[STAT_FIELDS], *text, *comm, *s;
	char *file = isdigit(*name) ? kasprintf(GFP_KERNEL, "%s/stat", path) : NULL;

	text = file ? read_file(file) : NULL;
	kfree(file);
	if (IS_ERR_OR_NULL(text))
		return 0; /* no task, or it has just ended */
	comm = strchr(text, '(') + 1;
	s = strrchr(text, ')');
	*s = '\0';
	s += 2;
	for (unsigned i = 0; i < STAT_FIELDS; i++)
		fields[i] = strsep(&s, " ");
	out_printf(arg, "%5s %5s  %-4s %3s %4s  %s\n", name, fields[1], fields[0], fields[36],
		   fields[15], comm);
	kfree(text);
	return stopped(arg);
}

static int cmd_ps(struct call *call)
{
	long error;

	out_printf(call, "  PID  PPID  STAT CPU  PRI  COMMAND\n");
	error = scan_directory("/proc", ps_one, call);
	return error < 0 ? failed(call, "/proc", error) : 0;
}
SHELL_COMMAND("ps", "", 0, "", "list tasks", .run = cmd_ps);

/* The number behind `NAME:` in a text like /proc/meminfo. */
static unsigned long field(const char *text, const char *name)
{
	const char *s = strstr(text, name);

	return s ? simple_strtoul(skip_spaces(s + strlen(name)), NULL, 10) : 0;
}

static int cmd_free(struct call *call)
{
	char *text = read_file("/proc/meminfo");
	unsigned long total, unused;

	if (IS_ERR(text))
		return failed(call, "/proc/meminfo", PTR_ERR(text));
	total = field(text, "MemTotal:");
	unused = field(text, "MemFree:");
	kfree(text);
	out_printf(call, "              total        used        free\n");
	out_printf(call, "Mem:    %11lu %11lu %11lu\n", total, total - unused, unused);
	return 0;
}
SHELL_COMMAND("free", "", 0, "", "show memory in KiB", .run = cmd_free);

static int cmd_uptime(struct call *call)
{
	char *load = read_file("/proc/loadavg"), *s = load;
	unsigned long minutes = ktime_get() / NSEC_PER_SEC / 60;
	char *one, *five;

	if (IS_ERR(load))
		return failed(call, "/proc/loadavg", PTR_ERR(load));
	one = strsep(&s, " ");
	five = strsep(&s, " ");
	out_printf(call, " up %lu:%02lu, load average: %s, %s, %s\n", minutes / 60, minutes % 60,
		   one, five, strsep(&s, " "));
	kfree(load);
	return 0;
}
SHELL_COMMAND("uptime", "", 0, "", "show the time since boot and the load", .run = cmd_uptime);

/* Records are `6,339,5140900,-;text` (Documentation/ABI/testing/dev-kmsg). */
static int cmd_dmesg(struct call *call)
{
	struct stream in;

	stream_open(&in, "/dev/kmsg", O_NONBLOCK);
	while (!stopped(call)) {
		size_t len;
		char *s = stream_line(&in, &len);

		if (s && strsep(&s, ",") && strsep(&s, ",")) {
			unsigned long usec = simple_strtoul(s, &s, 10);

			out_printf(call, "[%5lu.%06lu] %s\n", usec / 1000000, usec % 1000000,
				   strchr(s, ';') + 1);
		} else if (in.end == -EPIPE) {
			in.end = 0; /* records were overwritten meanwhile: go on behind them */
		} else {
			break;
		}
	}
	stream_close(&in);
	return stopped(call) || in.end == -EAGAIN ? 0 : failed(call, in.name, in.end);
}
SHELL_COMMAND("dmesg", "", 0, "", "print the kernel's messages", .run = cmd_dmesg);

static int cmd_poweroff(struct call *call __unused)
{
	machine_power_off();
}
SHELL_COMMAND("poweroff", "", 0, "", "switch the machine off", .run = cmd_poweroff);

static int cmd_reboot(struct call *call __unused)
{
	machine_restart();
}
SHELL_COMMAND("reboot", "", 0, "", "restart the machine", .run = cmd_reboot);
