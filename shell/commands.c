/* The table of commands. */
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/printk.h"
#include "shell/shell.h"

static long make_directory(const char *path)
{
	return sys_mkdir(path, 0777);
}

static int cmd_pwd(struct call *call)
{
	char *path = working_directory();

	out_printf(call, "%s\n", path ? path : "?");
	kfree(path);
	return !path;
}

static int cmd_poweroff(struct call *call __unused)
{
	printk(KERN_EMERG "reboot: Power down\n");
	console_flush();
	machine_power_off();
}

static int cmd_reboot(struct call *call __unused)
{
	printk(KERN_EMERG "reboot: Restarting system\n");
	console_flush();
	machine_restart();
}

static command_run cmd_help;

static const struct command commands[] = {
	{ "echo", NULL, 0, "[-n] [-e] [WORD]...",
	  "print the words (-n: without a newline, -e: \\n, \\t, \\0NNN and so on are bytes)",
	  .run = cmd_echo },
	{ "cat", "", 0, "[FILE]...", "print files, or the standard input", .input = cat_input },
	{ "head", "n:", 0, "[-n LINES] [FILE]...", "print the first 10 lines",
	  .input = head_input },
	{ "tail", "n:", 0, "[-n LINES] [FILE]...", "print the last 10 lines", .input = tail_input },
	{ "grep", "vc", 1, "[-v] [-c] TEXT [FILE]...",
	  "print lines that have TEXT in them (-v: that have not, -c: how many)", .run = cmd_grep },
	{ "wc", "", 0, "[FILE]...", "count lines, words and bytes", .input = wc_input },
	{ "hexdump", "C", 0, "[-C] [FILE]...", "print bytes in hexadecimal and as text",
	  .input = hexdump_input },
	{ "ls", "l", 0, "[-l] [PATH]...", "list directories (-l: with details)", .run = cmd_ls },
	{ "cd", "", 1, "DIR", "change the current directory", .path = sys_chdir, .in_shell = true },
	{ "pwd", "", 0, "", "print the current directory", .run = cmd_pwd },
	{ "mkdir", "", 1, "DIR...", "make directories", .path = make_directory },
	{ "rmdir", "", 1, "DIR...", "remove empty directories", .path = sys_rmdir },
	{ "rm", "", 1, "FILE...", "remove files", .path = sys_unlink },
	{ "ps", "", 0, "", "list tasks", .run = cmd_ps },
	{ "kill", NULL, 1, "[-SIGNAL] PID...", "send a signal, by its number (15)",
	  .run = cmd_kill },
	{ "chrt", "f", 2, "[-f] PRIORITY COMMAND...", "run with a real-time priority",
	  .run = cmd_chrt },
	{ "taskset", "c", 2, "[-c] CPUS COMMAND...",
	  "run on these CPUs only (a hexadecimal mask; -c: a list like 0,2-3)",
	  .run = cmd_taskset },
	{ "sleep", "", 1, "SECONDS", "wait", .path = cmd_sleep },
	{ "time", "", 1, "COMMAND...", "run a command and say how long it took", .run = cmd_time },
	{ "wait", "", 0, "", "wait for all background jobs", .run = cmd_wait, .in_shell = true },
	{ "sh", "", 0, "[FILE]...", "run commands from files, or the standard input",
	  .input = sh_input },
	{ "dmesg", "", 0, "", "print the kernel's messages", .run = cmd_dmesg },
	{ "free", "", 0, "", "show memory in KiB", .run = cmd_free },
	{ "uptime", "", 0, "", "show the time since boot and the load", .run = cmd_uptime },
	{ "dis", "", 1, "FUNCTION...", "show what a function's call site is now", .run = cmd_dis },
	{ "trace-export", NULL, 0, "[-f] [-d DEVICE] [INSTANCE]",
	  "send the trace through the second serial port", .run = cmd_trace_export },
	{ "hackbench", "g:l:", 0, "[-g GROUPS] [-l LOOPS]",
	  "tasks that pass messages through pipes (10 groups, 100 loops)", .run = cmd_hackbench },
	{ "stress", "c:m:t:", 0, "[-c N] [-m N] [-t SECONDS]",
	  "tasks that compute (-c) and allocate (-m), their results verified", .run = cmd_stress },
	{ "poweroff", "", 0, "", "switch the machine off", .run = cmd_poweroff },
	{ "reboot", "", 0, "", "restart the machine", .run = cmd_reboot },
	{ "help", "", 0, "", "print this list", .run = cmd_help },
};

static int cmd_help(struct call *call)
{
	for (unsigned i = 0; i < ARRAY_SIZE(commands); i++)
		out_printf(call, "  %-12s %-27s %s\n", commands[i].name, commands[i].usage,
			   commands[i].help);
	out_printf(call, "With < > >> | ; & and ' \" \\ as in sh; $? $$; # comment; ^C\n");
	return 0;
}

const struct command *find_command(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}
