/* Commands on files and directories. */
#include "fs/syscalls.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "shell/command.h"

#define CHUNK 4096UL

/* One backslash sequence of echo -e; *s is behind the backslash. False for \c: no more output at
 * all. */
static bool echo_escape(struct sh_io *io, const char **s)
{
	static const char letters[] = "abefnrtv\\", values[] = "\a\b\033\f\n\r\t\v\\";
	const char *found;
	unsigned value = 0;
	char c = **s;

	if (c == 'c')
		return false;
	found = c ? strchr(letters, c) : NULL;
	if (found) {
		out_write(io, &values[found - letters], 1);
		++*s;
	} else if (c == '0' || (c >= '1' && c <= '7')) {
		for (int n = c == '0' ? 4 : 3; n && **s >= '0' && **s <= '7'; n--)
			value = value * 8 + (unsigned)(*(*s)++ - '0');
		out_write(io, &(char){ (char)value }, 1);
	} else {
		out_puts(io, "\\");
	}
	return true;
}

static bool echo_escaped(struct sh_io *io, const char *s)
{
	while (*s) {
		if (*s != '\\') {
			out_write(io, s++, 1);
			continue;
		}
		s++;
		if (!echo_escape(io, &s))
			return false;
	}
	return true;
}

static int cmd_echo(struct sh_io *io, int argc, char **argv)
{
	bool newline = true, escapes = false;
	int i;

	/* As in sh: a word that is not made of n, e and E alone is text. */
	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (argv[i][1 + strspn(argv[i] + 1, "neE")])
			break;
		for (const char *s = argv[i] + 1; *s; s++) {
			if (*s == 'n')
				newline = false;
			else
				escapes = *s == 'e';
		}
	}
	for (; i < argc; i++) {
		if (!escapes)
			out_puts(io, argv[i]);
		else if (!echo_escaped(io, argv[i]))
			return 0;
		if (i + 1 < argc)
			out_puts(io, " ");
	}
	if (newline)
		out_puts(io, "\n");
	return 0;
}

static int cat_file(struct sh_io *io, int fd, const char *name, void *context)
{
	ssize_t n;

	while ((n = sys_read(fd, context, CHUNK)) > 0) {
		out_write(io, context, (size_t)n);
		if (out_flush(io) || out_stop(io))
			return 1;
	}
	if (n < 0 && n != -EINTR)
		return fail_with(io, name ? name : "-", n);
	return n < 0;
}

static int cmd_cat(struct sh_io *io, int argc, char **argv)
{
	struct sh_options options = { 0 };
	void *buf;
	int status;

	if (next_option(io, argc, argv, "", &options))
		return 1;
	buf = kmalloc(CHUNK, GFP_KERNEL);
	if (!buf)
		return fail_with(io, "no buffer", -ENOMEM);
	status = for_each_input(io, argc, argv, options.index, cat_file, buf);
	kfree(buf);
	return status;
}

static int cmd_pwd(struct sh_io *io, int argc __unused, char **argv __unused)
{
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);
	long n = path ? sys_getcwd(path, PATH_MAX) : -ENOMEM;

	if (n >= 0) {
		out_puts(io, path);
		out_puts(io, "\n");
	}
	kfree(path);
	return n < 0 ? fail_with(io, "getcwd", n) : 0;
}

static int mkdir_one(const char *path, bool parents)
{
	struct kstat st;
	long error = sys_mkdir(path, 0777);
	char *up, *slash;

	if (!parents || (error != -EEXIST && error != -ENOENT))
		return (int)error;
	if (error == -EEXIST)
		return sys_stat(path, &st) || !S_ISDIR(st.st_mode) ? -EEXIST : 0;
	up = kstrdup(path, GFP_KERNEL);
	if (!up)
		return -ENOMEM;
	/* Each parent in turn; one that is there already is fine, and the last call tells the rest.
	 */
	for (slash = strchr(up + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		sys_mkdir(up, 0777);
		*slash = '/';
	}
	kfree(up);
	error = sys_mkdir(path, 0777);
	return error == -EEXIST ? 0 : (int)error;
}

static int cmd_mkdir(struct sh_io *io, int argc, char **argv)
{
	struct sh_options options = { 0 };
	bool parents = false;
	int status = 0, c;

	while ((c = next_option(io, argc, argv, "p", &options)) > 0)
		parents = true;
	if (c < 0 || options.index >= argc)
		return c < 0 ? 1 : usage(io);
	for (int i = options.index; i < argc; i++) {
		int error = mkdir_one(argv[i], parents);

		if (!error)
			continue;
		err_printf("mkdir: can't create directory '%s': %s\n", argv[i], errno_text(-error));
		status = 1;
	}
	return status;
}

static int cmd_rmdir(struct sh_io *io, int argc, char **argv)
{
	int status = 0;

	if (argc < 2)
		return usage(io);
	for (int i = 1; i < argc; i++) {
		long error = sys_rmdir(argv[i]);

		if (!error)
			continue;
		err_printf("rmdir: '%s': %s\n", argv[i], errno_text((int)-error));
		status = 1;
	}
	return status;
}

/* ---- directories ---- */

struct name_list {
	char **names; /* kstrdup()ed */
	size_t count, size;
};

static int name_list_add(struct name_list *list, const char *name)
{
	if (list->count == list->size) {
		size_t size = list->size ? list->size * 2 : 32;
		char **names = krealloc(list->names, size * sizeof(*names), GFP_KERNEL);

		if (!names)
			return -ENOMEM;
		list->names = names;
		list->size = size;
	}
	list->names[list->count] = kstrdup(name, GFP_KERNEL);
	return list->names[list->count] ? (int)(list->count++, 0) : -ENOMEM;
}

static void name_list_free(struct name_list *list)
{
	while (list->count)
		kfree(list->names[--list->count]);
	kfree(list->names);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The sorted names in a directory. 0 or a negative errno; free the list in any case. */
static long read_directory(const char *path, struct name_list *list)
{
	long fd = sys_open(path, O_RDONLY | O_DIRECTORY, 0), n;
	char *buf;

	if (fd < 0)
		return fd;
	buf = kmalloc(CHUNK, GFP_KERNEL);
	n = buf ? 0 : -ENOMEM;
	while (n >= 0 && (n = sys_getdents64((int)fd, buf, CHUNK)) > 0)
		for (long at = 0; at < n;) {
			struct linux_dirent64 *entry = (void *)(buf + at);

			if (name_list_add(list, entry->d_name)) {
				n = -ENOMEM;
				break;
			}
			at += entry->d_reclen;
		}
	kfree(buf);
	sys_close((int)fd);
	sort(list->names, list->count, sizeof(*list->names), compare_names);
	return n;
}

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static char *join_path(const char *directory, const char *name)
{
	size_t n = strlen(directory);

	return kasprintf(GFP_KERNEL, "%s%s%s", directory, n && directory[n - 1] == '/' ? "" : "/",
			 name);
}

#define REMOVE_DEPTH 32 /* directories within directories: each takes some of the stack */

/* depth: directory levels that may be removed with their contents. */
static long remove_path(const char *path, unsigned depth)
{
	struct name_list list = { 0 };
	struct kstat st;
	long error = sys_lstat(path, &st);

	if (error)
		return error;
	if (!S_ISDIR(st.st_mode))
		return sys_unlink(path);
	if (!depth)
		return -EISDIR;
	error = read_directory(path, &list);
	for (size_t i = 0; !error && i < list.count; i++) {
		char *below;

		if (is_dot(list.names[i]))
			continue;
		below = join_path(path, list.names[i]);
		error = !below                    ? -ENOMEM
			: signal_pending(current) ? -EINTR
						  : remove_path(below, depth - 1);
		kfree(below);
	}
	name_list_free(&list);
	return error ? error : sys_rmdir(path);
}

static int cmd_rm(struct sh_io *io, int argc, char **argv)
{
	struct sh_options options = { 0 };
	bool recursive = false, force = false;
	int status = 0, c;

	while ((c = next_option(io, argc, argv, "rRf", &options)) > 0) {
		recursive |= c != 'f';
		force |= c == 'f';
	}
	if (c < 0 || (options.index >= argc && !force))
		return c < 0 ? 1 : usage(io);
	for (int i = options.index; i < argc; i++) {
		long error = remove_path(argv[i], recursive ? REMOVE_DEPTH : 0);

		if (!error || (error == -ENOENT && force))
			continue;
		if (error == -EISDIR)
			err_printf("rm: '%s' is a directory\n", argv[i]);
		else
			err_printf("rm: can't remove '%s': %s\n", argv[i], errno_text((int)-error));
		status = 1;
	}
	return status;
}

/* ---- ls ---- */

static void format_mode(umode_t mode, char text[11])
{
	static const char types[] = "?pc?d?b?-?l?s???", bits[] = "rwxrwxrwx";

	text[0] = types[mode >> 12];
	for (unsigned i = 0; i < 9; i++)
		text[1 + i] = mode & (0400U >> i) ? bits[i] : '-';
	if (mode & S_ISVTX)
		text[9] = text[9] == 'x' ? 't' : 'T';
	text[10] = '\0';
}

/* Times are since boot: there is no calendar. */
static void ls_long(struct sh_io *io, const char *path, const char *name, const struct kstat *st)
{
	u64 minutes = st->st_mtime / (60ULL * 1000000000);
	char mode[11], size[24], target[256];
	long n;

	format_mode(st->st_mode, mode);
	if (S_ISCHR(st->st_mode))
		snprintf(size, sizeof(size), "%3u, %3u", MAJOR(st->st_rdev), MINOR(st->st_rdev));
	else
		snprintf(size, sizeof(size), "%8llu", (unsigned long long)st->st_size);
	out_printf(io, "%s %4u root     root     %s +%02llu:%02llu %s", mode, st->st_nlink, size,
		   (unsigned long long)(minutes / 60), (unsigned long long)(minutes % 60), name);
	if (S_ISLNK(st->st_mode)) {
		n = sys_readlink(path, target, sizeof(target));
		if (n > 0)
			out_printf(io, " -> %.*s", (int)n, target);
	}
	out_puts(io, "\n");
}

static int ls_entry(struct sh_io *io, const char *path, const char *name, bool details)
{
	struct kstat st;
	long error = sys_lstat(path, &st);

	if (error)
		return fail_with(io, path, error);
	if (details)
		ls_long(io, path, name, &st);
	else
		out_printf(io, "%s\n", name);
	return 0;
}

static int ls_directory(struct sh_io *io, const char *path, bool details, bool all)
{
	struct name_list list = { 0 };
	long error = read_directory(path, &list);
	int status = error ? fail_with(io, path, error) : 0;

	for (size_t i = 0; i < list.count && !out_stop(io); i++) {
		char *below;

		if (list.names[i][0] == '.' && !all)
			continue;
		below = join_path(path, list.names[i]);
		status |= below ? ls_entry(io, below, list.names[i], details)
				: fail_with(io, path, -ENOMEM);
		kfree(below);
	}
	name_list_free(&list);
	return status;
}

static int cmd_ls(struct sh_io *io, int argc, char **argv)
{
	struct sh_options options = { 0 };
	bool details = false, all = false, itself = false;
	int status = 0, c;

	while ((c = next_option(io, argc, argv, "la1d", &options)) > 0) {
		details |= c == 'l';
		all |= c == 'a';
		itself |= c == 'd';
	}
	if (c < 0)
		return 1;
	if (options.index >= argc)
		return itself ? ls_entry(io, ".", ".", details)
			      : ls_directory(io, ".", details, all);
	for (int i = options.index; i < argc && !out_stop(io); i++) {
		struct kstat st;
		/* With details a link is shown itself, and not what it leads to. */
		long error = itself || details ? sys_lstat(argv[i], &st) : sys_stat(argv[i], &st);

		if (error) {
			status |= fail_with(io, argv[i], error);
			continue;
		}
		if (itself || !S_ISDIR(st.st_mode)) {
			status |= ls_entry(io, argv[i], argv[i], details);
			continue;
		}
		if (argc - options.index > 1)
			out_printf(io, "%s%s:\n", i > options.index ? "\n" : "", argv[i]);
		status |= ls_directory(io, argv[i], details, all);
	}
	return status;
}

const struct sh_command_def file_commands[] = {
	{ "echo", cmd_echo, "[-neE] [WORD]...",
	  "print the words (-n: no newline, -e: with \\ escapes)" },
	{ "cat", cmd_cat, "[FILE]...", "print files, or the standard input" },
	{ "ls", cmd_ls, "[-la1d] [PATH]...", "list directories (-l: with details, -a: all)" },
	{ "pwd", cmd_pwd, "", "print the current directory" },
	{ "mkdir", cmd_mkdir, "[-p] DIR...", "make directories (-p: and their parents)" },
	{ "rmdir", cmd_rmdir, "DIR...", "remove empty directories" },
	{ "rm", cmd_rm, "[-rf] PATH...", "remove files (-r: directories with all below)" },
	{ 0 },
};
