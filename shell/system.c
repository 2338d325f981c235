/* Commands on the system as a whole: help, dmesg, free, uptime, poweroff, reboot. */
#include "fs/syscalls.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/printk.h"
#include "shell/command.h"

#define FILE_MAX 4096UL

/* A small file as a string: kmalloc()ed, or NULL after a message. */
static char *read_file(struct sh_io *io, const char *path)
{
	long fd = sys_open(path, O_RDONLY, 0);
	size_t len = 0;
	ssize_t n = fd;
	char *text;

	if (fd < 0) {
		fail_with(io, path, fd);
		return NULL;
	}
	text = kzalloc(FILE_MAX, GFP_KERNEL);
	if (!text)
		n = -ENOMEM;
	while (text && len < FILE_MAX - 1 &&
	       (n = sys_read((int)fd, text + len, FILE_MAX - 1 - len)) > 0)
		len += (size_t)n;
	sys_close((int)fd);
	if (n >= 0)
		return text;
	fail_with(io, path, n);
	kfree(text);
	return NULL;
}

/* The number behind `NAME:` in a text like /proc/meminfo. */
static unsigned long field(const char *text, const char *name)
{
	const char *s = strstr(text, name);

	return s ? simple_strtoul(skip_spaces(s + strlen(name)), NULL, 10) : 0;
}

static int cmd_free(struct sh_io *io, int argc __unused, char **argv __unused)
{
	char *text = read_file(io, "/proc/meminfo");
	unsigned long total, unused;

	if (!text)
		return 1;
	total = field(text, "MemTotal:");
	unused = field(text, "MemFree:");
	out_printf(io, "              total        used        free\n");
	out_printf(io, "Mem:    %11lu %11lu %11lu\n", total, total - unused, unused);
	kfree(text);
	return 0;
}

static int cmd_uptime(struct sh_io *io, int argc __unused, char **argv __unused)
{
	char *up = read_file(io, "/proc/uptime"),
	     *load = up ? read_file(io, "/proc/loadavg") : NULL;
	char *words[3], *rest = load;

	if (load) {
		unsigned long minutes = simple_strtoul(up, NULL, 10) / 60;

		for (unsigned i = 0; i < 3; i++)
			words[i] = rest ? strsep(&rest, " ") : "";
		out_printf(io, " up %lu:%02lu, load average: %s, %s, %s\n", minutes / 60,
			   minutes % 60, words[0], words[1], words[2]);
	}
	kfree(up);
	kfree(load);
	return !load;
}

/* `6,339,5140900,-;text` (Documentation/ABI/testing/dev-kmsg) as `[    5.140900] text`. */
static void print_kmsg(struct sh_io *io, char *record)
{
	char *text = strchr(record, ';'), *s = record;
	unsigned long usec;

	if (!text)
		return;
	strsep(&s, ",");
	strsep(&s, ",");
	usec = simple_strtoul(s, NULL, 10);
	out_printf(io, "[%5lu.%06lu] ", usec / 1000000, usec % 1000000);
	out_puts(io, text + 1);
}

static int cmd_dmesg(struct sh_io *io, int argc __unused, char **argv __unused)
{
	long fd = sys_open("/dev/kmsg", O_RDONLY | O_NONBLOCK, 0);
	ssize_t n = -ENOMEM;
	char *buf;

	if (fd < 0)
		return fail_with(io, "/dev/kmsg", fd);
	buf = kmalloc(FILE_MAX, GFP_KERNEL);
	/* -EPIPE: records were overwritten while we read; the next read goes on behind them. */
	while (buf && !out_stop(io) &&
	       ((n = sys_read((int)fd, buf, FILE_MAX - 1)) > 0 || n == -EPIPE)) {
		if (n < 0)
			continue;
		buf[n] = '\0';
		print_kmsg(io, buf);
	}
	kfree(buf);
	sys_close((int)fd);
	return n < 0 && n != -EAGAIN && n != -EINTR ? fail_with(io, "/dev/kmsg", n) : 0;
}

static int cmd_poweroff(struct sh_io *io, int argc __unused, char **argv __unused)
{
	out_flush(io);
	printk(KERN_EMERG "reboot: Power down\n");
	console_flush();
	machine_power_off();
}

static int cmd_reboot(struct sh_io *io, int argc __unused, char **argv __unused)
{
	out_flush(io);
	printk(KERN_EMERG "reboot: Restarting system\n");
	console_flush();
	machine_restart();
}

static void print_help(struct sh_io *io, const struct sh_command_def *def)
{
	char call[48];

	scnprintf(call, sizeof(call), "%s %s", def->name, def->args);
	out_printf(io, "  %-36s %s\n", call, def->help);
}

static int cmd_help(struct sh_io *io, int argc __unused, char **argv __unused)
{
	for_each_command(print_help, io);
	out_puts(io, "Redirection: < > >> 2>&1; pipes: |; lists: ; && ||; jobs: &, wait, ^C; "
		     "quoting: ' \" \\; $? $$ $!; # comment\n");
	return 0;
}

const struct sh_command_def system_commands[] = {
	{ "dmesg", cmd_dmesg, "", "print the kernel's messages" },
	{ "free", cmd_free, "", "show memory in KiB" },
	{ "uptime", cmd_uptime, "", "show the time since boot and the load" },
	{ "poweroff", cmd_poweroff, "", "switch the machine off" },
	{ "reboot", cmd_reboot, "", "restart the machine" },
	{ "help", cmd_help, "", "print this list" },
	{ 0 },
};
