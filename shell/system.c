/* Commands on files, tasks, memory and kernel messages. */
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/panic.h"
#include "kernel/time/ktime.h"
#include "shell/shell.h"

/* Writes the type and the permissions of a mode (`-rw-r--r--`) as strmode(3) does, 11 bytes. */
static void strmode(umode_t mode, char *text)
{
	strscpy(text, "?rwxrwxrwx", 11);
	text[0] = "?pc?d?b?-?l?s???"[mode >> 12];
	for (unsigned i = 0; i < 9; i++)
		if (!(mode & (0400U >> i)))
			text[1 + i] = '-';
}

/* Prints one entry. Returns 1 when the command must stop. */
static long ls_one(void *arg, const char *path, const char *name)
{
	char mode[11], size[24], target[256];
	struct call *call = arg;
	struct kstat st;
	long n = vfs_stat(path, false, &st);

	if (n) {
		call->status = failed(call, path, n);
	} else if (!option(call, 'l', 0)) {
		out_printf(call, "%s\n", name);
	} else {
		strmode(st.st_mode, mode);
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

static long ls(struct call *call, const char *path)
{
	struct kstat st;
	/* With -l, ls shows a link itself, not the file to which it leads. */
	long error = option(call, 'l', 0) ? vfs_stat(path, false, &st) : vfs_stat(path, true, &st);

	if (error)
		return error;
	return S_ISDIR(st.st_mode) ? scan_directory(path, ls_one, call) : ls_one(call, path, path);
}
SHELL_COMMAND("ls", "l", 0, "[-l] [PATH]...", "list directories (-l: with details)", .operand = ls,
	      .file = ".");

static long make_directory(const char *path)
{
	return sys_mkdir(path, 0777);
}
SHELL_COMMAND("mkdir", "", 1, "DIR...", "make directories", .path = make_directory);
SHELL_COMMAND("rmdir", "", 1, "DIR...", "remove empty directories", .path = sys_rmdir);
SHELL_COMMAND("rm", "", 1, "FILE...", "remove files", .path = sys_unlink);

#define STAT_FIELDS 37 /* ps uses so many fields of /proc/PID/stat behind the name (proc(5)) */

static long ps_one(void *arg, const char *path, const char *name)
{
	char *file = isdigit(*name) ? kasprintf(GFP_KERNEL, "%s/stat", path) : NULL;
	char *text = file ? read_file(file) : NULL;
	const char *fields[STAT_FIELDS];
	struct call *call = arg;

	kfree(file);
	if (IS_ERR_OR_NULL(text))
		return 0; /* the entry is not a task, or the task has just ended */
	split_words(strrchr(text, ')') + 2, fields, STAT_FIELDS);
	*strrchr(text, ')') = '\0';
	out_printf(call, "%5s %5s  %-4s %3s %4s  %s\n", name, fields[1], fields[0], fields[36],
		   fields[15], strchr(text, '(') + 1);
	kfree(text);
	return stopped(call);
}

static long ps(struct call *call, const char *proc)
{
	out_printf(call, "  PID  PPID  STAT CPU  PRI  COMMAND\n");
	return scan_directory(proc, ps_one, call);
}
SHELL_COMMAND("ps", "", 0, "", "list tasks", .operand = ps, .file = "/proc");

static void free_input(struct call *call, struct stream *in)
{
	unsigned long kib[2] = { 0 }; /* MemTotal: N kB, MemFree: N kB */
	size_t len;
	char *line;

	for (unsigned i = 0; i < 2 && (line = stream_line(in, &len)); i++)
		kib[i] = simple_strtoul(skip_spaces(strchrnul(line, ':') + 1), NULL, 10);
	out_printf(call, "              total        used        free\n");
	out_printf(call, "Mem:    %11lu %11lu %11lu\n", kib[0], kib[0] - kib[1], kib[1]);
}
SHELL_COMMAND("free", "", 0, "", "show memory in KiB", .input = free_input,
	      .file = "/proc/meminfo");

static void uptime_input(struct call *call, struct stream *in)
{
	unsigned long minutes = ktime_get() / NSEC_PER_SEC / 60;
	const char *loads[3];
	size_t len;
	char *line = stream_line(in, &len);

	if (line && split_words(line, loads, ARRAY_SIZE(loads)))
		out_printf(call, " up %lu:%02lu, load average: %s, %s, %s\n", minutes / 60,
			   minutes % 60, loads[0], loads[1], loads[2]);
}
SHELL_COMMAND("uptime", "", 0, "", "show the time since boot and the load", .input = uptime_input,
	      .file = "/proc/loadavg");

/* Records are `6,339,5140900,-;text` (Documentation/ABI/testing/dev-kmsg). */
static void dmesg_input(struct call *call, struct stream *in)
{
	size_t len;

	while (!stopped(call)) {
		char *s = stream_line(in, &len);

		if (s && strsep(&s, ",") && strsep(&s, ",")) {
			unsigned long usec = simple_strtoul(s, &s, 10);

			out_printf(call, "[%5lu.%06lu] %s\n", usec / 1000000, usec % 1000000,
				   strchr(s, ';') + 1);
		} else if (in->end == -EPIPE) {
			in->end = 0; /* records were overwritten meanwhile: read the next ones */
		} else {
			break;
		}
	}
	if (in->end == -EAGAIN)
		in->end = 1; /* no more records now: the normal end */
}
SHELL_COMMAND("dmesg", "", 0, "", "print the kernel's messages", .input = dmesg_input,
	      .file = "/dev/kmsg", .flags = O_NONBLOCK);

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
