/* The names of core files: /proc/sys/kernel/core_pattern, as core(5) describes it. */
#include "fs/coredump/internal.h"

#include "fs/proc/proc_fs.h"
#include "fs/vfs/fs_struct.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/process/uts.h"
#include "kernel/sched/mutex.h"
#include "kernel/task/cred.h"
#include "kernel/time/timekeeping.h"
#include "kernel/vm/mm.h"

#define PATTERN_SIZE 128

static DEFINE_MUTEX(pattern_mutex);
static char core_pattern[PATTERN_SIZE] = "core"; /* [pattern_mutex] */

/* No program gets the dump: "|program" is refused. */
static int proc_core_pattern(const struct ctl_table *table __unused, bool write, char *buf,
			     size_t size)
{
	if (write && buf[0] == '|')
		return -EINVAL;
	mutex_lock(&pattern_mutex);
	if (write) {
		buf[strcspn(buf, "\n")] = '\0';
		strscpy(core_pattern, buf, sizeof(core_pattern));
	} else {
		scnprintf(buf, size, "%s\n", core_pattern);
	}
	mutex_unlock(&pattern_mutex);
	return 0;
}

SYSCTL(core_pattern, "kernel", "core_pattern", 0644, proc_core_pattern);

/* The name while it grows. */
struct name {
	char *text; /* PATH_MAX bytes */
	size_t len; /* PATH_MAX: it does not fit */
};

static void __printf(2, 3) append(struct name *name, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (name->len < PATH_MAX)
		name->len += (size_t)vsnprintf(name->text + name->len, PATH_MAX - name->len, format,
					       args);
	name->len = min(name->len, (size_t)PATH_MAX);
	va_end(args);
}

/* A text that somebody else has chosen: it must not name another directory. */
static void append_safely(struct name *name, const char *text)
{
	size_t begin = name->len;

	if (!strcmp(text, ".") || !strcmp(text, ".."))
		append(name, "!%s", text + 1);
	else
		append(name, "%s", text);
	for (; begin < name->len && begin < PATH_MAX; begin++)
		if (name->text[begin] == '/')
			name->text[begin] = '!';
}

/* %e, %f and %E: the name of the task, of the program's file, and its path. */
static void append_program(struct name *name, char which)
{
	const struct file *exe = current->mm->exe_file;
	char *buf = which == 'e' || !exe ? NULL : kmalloc(PATH_MAX, GFP_KERNEL);
	const char *path = buf ? d_path(&exe->f_path, buf, PATH_MAX) : NULL;

	if (!path || IS_ERR(path))
		append_safely(name, current->comm);
	else
		append_safely(name, which == 'f' ? strrchr(path, '/') + 1 : path);
	kfree(buf);
}

static void append_value(struct name *name, char which, int sig)
{
	struct new_utsname uts;

	switch (which) {
	case '%':
		append(name, "%%");
		break;
	case 'p': /* there are no other name spaces of PIDs */
	case 'P':
		append(name, "%d", current->tgid);
		break;
	case 'i':
	case 'I':
		append(name, "%d", current->pid);
		break;
	case 'u':
		append(name, "%u", current_cred()->uid);
		break;
	case 'g':
		append(name, "%u", current_cred()->gid);
		break;
	case 'd':
		append(name, "%d", current->mm->dumpable);
		break;
	case 's':
		append(name, "%d", sig);
		break;
	case 't':
		append(name, "%llu", (unsigned long long)ktime_get_real() / NSEC_PER_SEC);
		break;
	case 'c':
		append(name, "%lu", rlimit(RLIMIT_CORE));
		break;
	case 'h':
		get_utsname(&uts);
		append_safely(name, uts.nodename);
		break;
	case 'e':
	case 'f':
	case 'E':
		append_program(name, which);
		break;
	default: /* nothing, as on Linux */
		break;
	}
}

static void expand(struct name *name, const char *pattern, int sig)
{
	for (; *pattern; pattern++) {
		if (*pattern != '%') {
			append(name, "%c", *pattern);
			continue;
		}
		if (!*++pattern) /* a single one at the end */
			break;
		append_value(name, *pattern, sig);
	}
}

char *core_name(const struct siginfo *info)
{
	struct name name = { .text = kzalloc(PATH_MAX, GFP_KERNEL) };
	char pattern[PATTERN_SIZE];

	if (!name.text)
		return NULL;
	mutex_lock(&pattern_mutex);
	strscpy(pattern, core_pattern, sizeof(pattern));
	mutex_unlock(&pattern_mutex);
	expand(&name, pattern, info->si_signo);
	if (name.len && name.len < PATH_MAX)
		return name.text;
	kfree(name.text);
	return NULL;
}
