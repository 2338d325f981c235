/* The commands of the monitor. Each is a function, and prints the messages of busybox. */
#include "kernel/monitor/monitor.h"

#include "fs/vfs/fs_struct.h"
#include "fs/vfs/namei.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/reboot.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"

/*
 * Returns the status for error, a negative errno or 0. Prints a message, with name and the text of
 * the errno, except after ^C.
 */
#define report(error, format, name)                                                                \
	({                                                                                         \
		int __error = (int)(error);                                                        \
		if (__error && __error != -EINTR)                                                  \
			complain(format "\n", name, errno_text(-__error));                         \
		__error ? STATUS_FAILED : 0;                                                       \
	})

/* ---- text ---- */

/* Writes all of a text. A file may take it in parts. Returns the status. */
static int write_out(struct command *c, const char *text, size_t size)
{
	while (size) {
		ssize_t n = kernel_write(c->out, text, size, &c->out->f_pos);

		if (n <= 0)
			return report(n, "%s: write error: %s", "sh");
		text += n;
		size -= (size_t)n;
	}
	return 0;
}

/* One write for all words, because tracefs takes a command in one piece. */
static int echo(struct command *c)
{
	unsigned first = c->argc > 1 && !strcmp(c->argv[1], "-n") ? 2 : 1;
	char *text = kmalloc(LINE_SIZE + 1, GFP_KERNEL);
	int size = 0, status;

	if (!text)
		return report(-ENOMEM, "%s: %s", "echo");
	for (unsigned i = first; i < c->argc; i++)
		size += scnprintf(text + size, LINE_SIZE - (size_t)size, "%s%s",
				  i > first ? " " : "", c->argv[i]);
	if (first == 1)
		text[size++] = '\n';
	status = write_out(c, text, (size_t)size);
	kfree(text);
	return status;
}

static int pwd(struct command *c)
{
	return write_out(c, current_name, strlen(current_name)) | write_out(c, "\n", 1);
}

/* ---- files ---- */

/* Returns how many bytes of buf belong to the next lines, and subtracts these lines from *lines. */
static size_t cut_lines(const char *buf, size_t size, unsigned long *lines)
{
	size_t n = 0;

	while (n < size && *lines)
		*lines -= buf[n++] == '\n';
	return n;
}

/* Copies the first lines of a file to the output. A read may wait: for the terminal, trace_pipe. */
static int copy_lines(struct command *c, const char *name, unsigned long lines)
{
	struct file *file = do_filp_open(AT_FDCWD, name, O_RDONLY, 0, 0);
	char *buf = kmalloc(PAGE_SIZE, GFP_KERNEL);
	ssize_t n = buf ? 1 : -ENOMEM;
	int status = 0;

	if (IS_ERR(file)) {
		kfree(buf);
		return report(PTR_ERR(file), "cat: can't open '%s': %s", name);
	}
	while (n > 0 && lines && !status && !signal_pending(current)) {
		n = kernel_read(file, buf, PAGE_SIZE, &file->f_pos);
		if (n > 0)
			status = write_out(c, buf, cut_lines(buf, (size_t)n, &lines));
	}
	kfree(buf);
	fput(file);
	return n < 0 ? report(n, "%s: read error: %s", c->argv[0]) : status;
}

static int cat(struct command *c, const char *name)
{
	return copy_lines(c, name, ~0UL);
}

/* head -n N FILE, head -N FILE: N lines, else 10. */
static int head(struct command *c)
{
	unsigned long lines = 10;
	unsigned i = 1;
	int status = 0;

	if (c->argc > 1 && c->argv[1][0] == '-') {
		const char *number = c->argv[i++] + 1;

		number += *number == 'n';
		if (!*number && i < c->argc)
			number = c->argv[i++];
		if (kstrtoul(number, 10, &lines))
			return report(-EINVAL, "head: '%s': %s", number);
	}
	for (; i < c->argc && !signal_pending(current); i++)
		status |= copy_lines(c, c->argv[i], lines);
	return status;
}

struct listing {
	struct dir_context ctx;
	size_t used;
	char names[PAGE_SIZE];
};

static bool add_name(struct dir_context *ctx, const char *name, size_t len, loff_t pos __unused,
		     u64 ino __unused, unsigned type __unused)
{
	struct listing *list = container_of(ctx, struct listing, ctx);

	if (name[0] == '.')
		return true;
	if (list->used + len + 1 > sizeof(list->names))
		return false;
	memcpy(list->names + list->used, name, len);
	list->used += len;
	list->names[list->used++] = '\n';
	return true;
}

/* Prints the names in a directory, a page at a time: no lock is held while the terminal sleeps. */
static int list_directory(struct command *c, struct file *dir)
{
	struct listing *list = kmalloc(sizeof(*list), GFP_KERNEL);
	int error = list ? 0 : -ENOMEM, status = 0;

	while (!error && !status) {
		list->ctx.actor = add_name;
		list->used = 0;
		error = iterate_dir(dir, &list->ctx);
		if (!list->used)
			break;
		status = write_out(c, list->names, list->used);
	}
	kfree(list);
	return status | report(error, "%s: %s", "ls");
}

static int ls(struct command *c, const char *name)
{
	struct file *file = do_filp_open(AT_FDCWD, name, O_RDONLY, 0, 0);
	int status;

	if (IS_ERR(file))
		return report(PTR_ERR(file), "ls: %s: %s", name);
	if (S_ISDIR(file->f_inode->i_mode))
		status = list_directory(c, file);
	else
		status = write_out(c, name, strlen(name)) | write_out(c, "\n", 1);
	fput(file);
	return status;
}

static int mkdir(struct command *c __unused, const char *name)
{
	return report(do_mkdirat(AT_FDCWD, name, 0755), "mkdir: can't create directory '%s': %s",
		      name);
}

static int rmdir(struct command *c __unused, const char *name)
{
	return report(do_rmdirat(AT_FDCWD, name), "rmdir: '%s': %s", name);
}

static int rm(struct command *c __unused, const char *name)
{
	return report(do_unlinkat(AT_FDCWD, name), "rm: can't remove '%s': %s", name);
}

/* Goes from directory to name, text by text, as in sh: `..` undoes the last component. */
static void join_path(char *directory, size_t size, const char *name)
{
	if (*name == '/')
		*directory = '\0';
	while (*(name += strspn(name, "/"))) {
		int n = (int)strcspn(name, "/");
		size_t end = strlen(directory);

		if (n == 2 && strstarts(name, ".."))
			*(strrchr(directory, '/') ?: directory) = '\0';
		else if (n != 1 || *name != '.')
			scnprintf(directory + end, size - end, "/%.*s", n, name);
		name += n;
	}
	if (!*directory)
		strscpy(directory, "/", size);
}

/* In a job, only the job changes its directory. */
static int cd(struct command *c, const char *name)
{
	char directory[sizeof(current_name)];
	struct path path;
	int error = -ENAMETOOLONG;

	strscpy(directory, current_name[1] ? current_name : "", sizeof(directory));
	join_path(directory, sizeof(directory), name);
	if (strlen(directory) < sizeof(directory) - 1)
		error = kern_path(directory, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &path);
	if (!error) {
		error = set_current_pwd(&path);
		path_put(&path);
	}
	if (!error && !c->task)
		strscpy(current_name, directory, sizeof(directory));
	return report(error, "sh: cd: can't cd to %s: %s", name);
}

/* ---- time, jobs, the machine ---- */

/* `sleep 2`, `sleep 0.25` */
static int sleep(struct command *c __unused, const char *word)
{
	u64 ns = 0, unit = NSEC_PER_SEC;
	const char *s = word;

	for (; isdigit(*s); s++)
		ns = ns * 10 + (u64)(*s - '0') * NSEC_PER_SEC;
	if (*s == '.')
		for (s++; isdigit(*s); s++)
			ns += (u64)(*s - '0') * (unit /= 10);
	if (*s || s == word)
		return report(-EINVAL, "sleep: '%s': %s", word);
	while (ns && !signal_pending(current)) {
		set_current_state(TASK_INTERRUPTIBLE);
		ns = schedule_timeout(ns);
	}
	return 0;
}

static int kill(struct command *c __unused, const char *word)
{
	pid_t pid;
	int error = kstrtoint(word, 10, &pid);

	return report(error ? error : kill_job(pid), "sh: can't kill pid %s: %s", word);
}

static int poweroff(struct command *c __unused)
{
	kernel_power_off();
}

static int reboot(struct command *c __unused)
{
	kernel_restart();
}

/* A command has `once`, which reads argv itself, or `each`, which gets each word. */
static const struct builtin {
	const char *name;
	int (*once)(struct command *c);
	int (*each)(struct command *c, const char *word);
	const char *otherwise; /* what each gets if there is no word */
} builtins[] = {
	{ "cat", .each = cat, .otherwise = "/dev/console" },
	{ "cd", .each = cd, .otherwise = "/" },
	{ "echo", .once = echo },
	{ "head", .once = head },
	{ "kill", .each = kill },
	{ "ls", .each = ls, .otherwise = "." },
	{ "mkdir", .each = mkdir },
	{ "poweroff", .once = poweroff },
	{ "pwd", .once = pwd },
	{ "reboot", .once = reboot },
	{ "rm", .each = rm },
	{ "rmdir", .each = rmdir },
	{ "sleep", .each = sleep },
	{ "wait", .once = wait_for_jobs },
};

static int run_builtin(const struct builtin *builtin, struct command *c)
{
	int status = 0;

	if (builtin->once)
		return builtin->once(c);
	if (c->argc == 1 && builtin->otherwise)
		return builtin->each(c, builtin->otherwise);
	for (unsigned i = 1; i < c->argc && !signal_pending(current); i++)
		status |= builtin->each(c, c->argv[i]);
	return status;
}

static int run_named(struct command *c)
{
	for (unsigned i = 0; i < ARRAY_SIZE(builtins); i++)
		if (!strcmp(builtins[i].name, c->argv[0]))
			return run_builtin(&builtins[i], c);
	complain("sh: %s: not found\n", c->argv[0]);
	return STATUS_NOT_FOUND;
}

int run_command(struct command *c)
{
	int flags = O_WRONLY | O_CREAT | (c->append ? O_APPEND : O_TRUNC), status;

	if (c->target)
		c->out = do_filp_open(AT_FDCWD, c->target, flags, 0644, 0);
	else
		c->out = get_file(console);
	if (IS_ERR(c->out))
		return report(PTR_ERR(c->out), "sh: can't create %s: %s", c->target);
	status = c->argc ? run_named(c) : 0;
	fput(c->out);
	return signal_pending(current) ? STATUS_INTERRUPTED : status;
}
