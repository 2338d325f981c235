/* What the files of fs/exec/ share: a program that is about to replace the current one. */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/task/cred.h"
#include "kernel/vm/mm.h"

#define BINPRM_BUF_SIZE    256      /* the bytes that tell the format of a file */
#define MAX_ARG_STRLEN     131072UL /* one string with its NUL: 32 pages, as on Linux */
#define MAX_INTERP_REWRITE 5        /* scripts whose interpreter is a script */

/* One exec. [O] the calling task owns it. */
struct linux_binprm {
	char buf[BINPRM_BUF_SIZE]; /* the start of file, then zeros */
	struct file *file;         /* what would be loaded; counted, no writer may open it */
	struct file *interpreter;  /* a script's interpreter, to be tried next; counted, or NULL */
	const char *filename;   /* the name that exec was called with, or fdpath: AT_EXECFN, comm */
	char *fdpath;           /* the program was found by a descriptor; kmalloc()ed, or NULL */
	bool nameless;          /* called with a descriptor alone: comm is the name of file */
	const char *interp;     /* the name of file: filename, or a script's interpreter */
	char *interp_buf;       /* kmalloc()ed text of interp, or NULL */
	bool path_inaccessible; /* the descriptor that filename names is closed by exec */
	struct mm_struct *mm;   /* the new address space, until the task has it */
	unsigned long p;        /* user address of the lowest string on the new stack */
	unsigned long arg_limit; /* p must not be below it */
	unsigned long exec;      /* user address of filename */
	int argc, envc;
	struct cred *cred;       /* the new credentials, until the task has them */
	bool in_exec_fs;         /* begin_exec_fs() has been called */
	bool fs_shared;          /* its result */
	bool set_id;             /* the file's mode has chosen a user or a group */
	bool secureexec;         /* AT_SECURE */
	bool unreadable;         /* the caller may execute the program, but not read it */
	bool point_of_no_return; /* the old program is gone: an error ends the process */
};

/* open_exec.c */
/*
 * Opens a program: a regular file that the current task may execute. at_flags: AT_EMPTY_PATH,
 * AT_SYMLINK_NOFOLLOW. Returns a counted file, from which kernel_read() reads, or an ERR_PTR.
 */
struct file *open_exec(int dfd, const char *name, int at_flags);

/* strings.c */
/* The number of pointers before the NULL. -EFAULT, -E2BIG. */
int count_strings(const char __user *const __user *strings);
/* Sets arg_limit for argc and envc, with the space for the pointers. 0 or -E2BIG. */
int bprm_stack_limits(struct linux_binprm *bprm);
/* Puts the strings below p, in their order. 0, -EFAULT, -E2BIG, -ENOMEM. */
int copy_strings(struct linux_binprm *bprm, int count, const char __user *const __user *strings);
int copy_string_kernel(struct linux_binprm *bprm, const char *string);
/* Removes the lowest string: argv[0]. 0 or -EFAULT. */
int remove_arg_zero(struct linux_binprm *bprm);

/* shared_fs.c */
/*
 * The current task executes a program. Returns whether another process shares its struct, and could
 * change it under the program: threads of the task end with the exec. If none does, none will
 * before end_exec_fs(): until then clone(CLONE_FS) gives -EAGAIN. Task context; takes
 * tasklist_lock.
 */
bool begin_exec_fs(void);
/* For the same task, with the result of begin_exec_fs(). */
void end_exec_fs(bool shared);

/*
 * The formats: 0; -ENOEXEC: the file has another format; another error. load_script() sets
 * interpreter, and load_elf_binary() makes the current task the new program.
 */
int load_script(struct linux_binprm *bprm);
int load_elf_binary(struct linux_binprm *bprm);

/*
 * exec.c. The old program goes, and the task gets the new address space and credentials. After an
 * error with point_of_no_return the process must end.
 */
int begin_new_exec(struct linux_binprm *bprm);
/* Notes if the caller may not read the file, of which the program will be made. */
void would_dump(struct linux_binprm *bprm, const struct file *file);
/* Reads len bytes of a program at pos. 0; -EIO: the file is shorter; another error. */
int read_program(struct file *file, void *buf, size_t len, loff_t pos);
