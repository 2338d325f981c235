/*
 * Scripts: files that begin with "#!" and name their interpreter, with at most one argument.
 * execve(2) describes the rules.
 */
#include "fs/exec/binprm.h"

#include "fs/vfs/open.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static char *skip_blanks(char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

/*
 * Ends the first line in buf with a NUL, without blanks at its end. -ENOEXEC: the line is longer
 * than buf, so that the name of the interpreter may be cut.
 */
static int cut_line(char *buf)
{
	char *last = buf + BINPRM_BUF_SIZE - 1, *end = buf + 2;

	while (end < last && *end && *end != '\n')
		end++;
	if (end == last) {
		/* An argument may be cut, but the name must have ended before. */
		char *name = skip_blanks(buf + 2);

		while (name < last && !is_blank(*name))
			name++;
		if (name >= last)
			return -ENOEXEC;
	}
	while (end > buf + 2 && is_blank(end[-1]))
		end--;
	*end = '\0';
	return 0;
}

int load_script(struct linux_binprm *bprm)
{
	/*
	 * LAB 12: Take the first line apart, and change the arguments from the first one on.
	 * Starts as: (void)bprm, (void)cut_line;
	 * return -ENOEXEC;
	 */
	char *name, *arg;
	struct file *file;
	int error;

	if (bprm->buf[0] != '#' || bprm->buf[1] != '!')
		return -ENOEXEC;
	error = cut_line(bprm->buf);
	if (error)
		return error;
	name = skip_blanks(bprm->buf + 2);
	if (!*name)
		return -ENOEXEC;
	/* The interpreter could not open the script. */
	if (bprm->path_inaccessible)
		return -ENOENT;
	arg = name;
	while (*arg && !is_blank(*arg))
		arg++;
	if (*arg) {
		*arg = '\0';
		arg = skip_blanks(arg + 1);
	}

	/* INTERPRETER [ARGUMENT] SCRIPT instead of argv[0] */
	error = remove_arg_zero(bprm);
	if (!error)
		error = copy_string_kernel(bprm, bprm->interp);
	if (!error && *arg) {
		error = copy_string_kernel(bprm, arg);
		bprm->argc++;
	}
	if (!error)
		error = copy_string_kernel(bprm, name);
	if (error)
		return error;
	bprm->argc += 2;
	kfree(bprm->interp_buf);
	bprm->interp_buf = kstrdup(name, GFP_KERNEL);
	if (!bprm->interp_buf)
		return -ENOMEM;
	bprm->interp = bprm->interp_buf;
	file = open_exec(AT_FDCWD, name, 0);
	if (IS_ERR(file))
		return (int)PTR_ERR(file);
	bprm->interpreter = file;
	return 0;
	/* END LAB 12 */
}
