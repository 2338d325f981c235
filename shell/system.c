/* Commands on what the system has: ls, ps, free, uptime, dmesg. */
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/time/ktime.h"
#include "shell/shell.h"

static void ls_details(struct call *call, const struct kstat *st)
{
	char mode[] = "?rwxrwxrwx";

	mode[0] = "?pc?d?b?-?l?s???"[st->st_mode >> 12];
	for (unsigned i = 0; i < 9; i++)
		if (!(st->st_mode & (0400U >> i)))
			mode[1 + i] = '-';
	out_printf(call, "%s %3u root root ", mode, st->st_nlink);
	if (S_ISCHR(st->st_mode))
		out_printf(call, "%3u, %3u ", MAJOR(st->st_rdev), MINOR(st->st_rdev));
	else
		out_printf(call, "%8lu ", (unsigned long)st->st_size);
}

static int ls_one(struct call *call, const char *path, const char *name)
{
	bool details = option(call, 'l', 0);
	char target[256];
	struct kstat st;
	long n = sys_lstat(path, &st);

	if (n)
		return failed(call, path, n);
	if (details)
		ls_details(call, &st);
	if (details && S_ISLNK(st.st_mode))
		n = sys_readlink(path, target, sizeof(target));
	if (n > 0)
		out_printf(call, "%s -> %.*s\n", name, (int)n, target);
	else
		out_printf(call, "%s\n", name);
	return 0;
}

int cmd_ls(struct call *call)
{
	int i = 0, status = 0;

	do {
		const char *path = call->argc ? call->argv[i] : ".";
		struct kstat st;
		/* With details a link is shown itself, and not what it leads to. */
		long error = option(call, 'l', 0) ? sys_lstat(path, &st) : sys_stat(path, &st);

		if (error)
			status = failed(call, path, error);
		else if (S_ISDIR(st.st_mode))
			status |= each_entry(call, path, ls_one);
		else
			status |= ls_one(call, path, path);
	} while (++i < call->argc && !stopped(call));
	return status;
}

#define STAT_FIELDS 37 /* of /proc/PID/stat behind the name (proc(5)), as far as ps wants them */

static int ps_one(struct call *call, const char *path, const char *name)
{
	char *fields[STAT_FIELDS], *text, *comm, *s;
	char *file = isdigit(*name) ? kasprintf(GFP_KERNEL, "%s/stat", path) : NULL;

	text = file ? read_file(call, file) : NULL;
	kfree(file);
	if (IS_ERR_OR_NULL(text))
		return 0; /* no task, or it has just ended */
	comm = strchr(text, '(') + 1;
	s = strrchr(text, ')');
	*s = '\0';
	s += 2;
	for (unsigned i = 0; i < STAT_FIELDS; i++)
		fields[i] = strsep(&s, " ");
	out_printf(call, "%5s %5s  %-4s %3s %4s  %s\n", name, fields[1], fields[0], fields[36],
		   fields[15], comm);
	kfree(text);
	return 0;
}

int cmd_ps(struct call *call)
{
	out_printf(call, "  PID  PPID  STAT CPU  PRI  COMMAND\n");
	return each_entry(call, "/proc", ps_one);
}

/* The number behind `NAME:` in a text like /proc/meminfo. */
static unsigned long field(const char *text, const char *name)
{
	const char *s = strstr(text, name);

	return s ? simple_strtoul(skip_spaces(s + strlen(name)), NULL, 10) : 0;
}

int cmd_free(struct call *call)
{
	char *text = read_file(call, "/proc/meminfo");
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

int cmd_uptime(struct call *call)
{
	char *load = read_file(call, "/proc/loadavg"), *s = load;
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

/* `6,339,5140900,-;text` (Documentation/ABI/testing/dev-kmsg) as `[    5.140900] text`. */
static void print_record(struct call *call, char *record, size_t len)
{
	char *text = memchr(record, ';', len), *s = record;
	unsigned long usec;

	if (!text)
		return;
	strsep(&s, ",");
	strsep(&s, ",");
	usec = simple_strtoul(s, NULL, 10);
	*text = ' ';
	out_printf(call, "[%5lu.%06lu]", usec / 1000000, usec % 1000000);
	out_write(call, text, (size_t)(record + len - text));
}

int cmd_dmesg(struct call *call)
{
	struct input in;
	char *record;
	size_t len;

	open_input(&in, "/dev/kmsg", O_NONBLOCK);
	while (!stopped(call)) {
		record = next_line(call, &in, &len);
		if (record)
			print_record(call, record, len);
		else if (in.end == -EPIPE)
			in.end = 0; /* records were overwritten meanwhile: go on behind them */
		else
			break;
	}
	if (in.end == -EAGAIN)
		in.end = 1;
	return close_input(call, &in);
}
