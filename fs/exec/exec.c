/*
 * execve(2), execveat(2): a program takes the place of the current one.
 *
 * Up to begin_new_exec() nothing of the old program is touched, and every error is the result of
 * the call. There, the other threads end and the old address space goes: from this point of no
 * return on, an error can only end the process, by SIGSEGV, as on Linux.
 */
#include "arch/mm/uaccess.h"
#include "fs/vfs/d_path.h"
#include "fs/exec/binprm.h"
#include "fs/file/file.h"
#include "fs/vfs/fs_struct.h"
#include "fs/calls/getname.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/open.h"
#include "fs/vfs/permission.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/process/exec.h"
#include "kernel/process/exit.h"
#include "kernel/process/part.h"
#include "kernel/process/personality.h"
#include "kernel/process/process.h"
#include "kernel/task/signal_struct.h"
#include "kernel/task/tracee.h"
#include "kernel/sched/sched_events.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"

#define DEFAULT_STACK (8UL << 20) /* enough for any program that acts for another user */

/* The program needs a random stack, and the caller had asked for none. Not seen by programs. */
#define ERESTART_RANDOMIZED 1000

int read_program(struct file *file, void *buf, size_t len, loff_t pos)
{
	ssize_t n = kernel_read(file, buf, len, &pos);

	if (n == (ssize_t)len)
		return 0;
	return n < 0 ? (int)n : -EIO;
}

/* Reads the start of bprm->file, which tells its format. */
static int read_start(struct linux_binprm *bprm)
{
	loff_t pos = 0;
	ssize_t n;

	memset(bprm->buf, 0, sizeof(bprm->buf));
	n = kernel_read(bprm->file, bprm->buf, sizeof(bprm->buf), &pos);
	return n < 0 ? (int)n : 0;
}

/* The ids for which a program may act. */
struct program_owner {
	umode_t mode; /* 0: for nobody */
	u32 uid, gid;
};

/*
 * The three belong together: chown() takes S_ISUID away when it changes the owner. With the mode of
 * before and the owner of after, a program that a user has written would run as root. So they are
 * read under the lock under which they change. And the caller must still have the permission that
 * it had at the open: root may have taken it, before a chmod() that gives the program to a group.
 */
static struct program_owner read_owner(struct inode *inode)
{
	struct program_owner owner = { .mode = READ_ONCE(inode->i_mode) };

	if (!(owner.mode & (S_ISUID | S_ISGID)))
		return owner;
	mutex_lock(&inode->i_mutex);
	owner = (struct program_owner){ inode->i_mode, inode->i_uid, inode->i_gid };
	if (inode_permission(inode, MAY_EXEC))
		owner.mode = 0;
	mutex_unlock(&inode->i_mutex);
	return owner;
}

/* Computes the credentials from the mode of the file that is loaded at the end. */
static void creds_from_file(struct linux_binprm *bprm)
{
	struct program_owner owner = read_owner(bprm->file->f_inode);
	/*
	 * LAB 12: The bits S_ISUID and S_ISGID count, except with MS_NOSUID.
	 * Starts as: (void)owner;
	 * bprm->set_id = exec_creds(bprm->cred, NULL, NULL, bprm->fs_shared, &bprm->secureexec);
	 */
	bool may_set = !(bprm->file->f_path.mnt->mnt_flags & MS_NOSUID);
	bool set_uid = may_set && (owner.mode & S_ISUID);
	/* Without execute permission for the group, the bit meant mandatory locking. */
	bool set_gid = may_set && (owner.mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);

	bprm->set_id = exec_creds(bprm->cred, set_uid ? &owner.uid : NULL,
				  set_gid ? &owner.gid : NULL, bprm->fs_shared, &bprm->secureexec);
	/* END LAB 12 */
}

void would_dump(struct linux_binprm *bprm, const struct file *file)
{
	if (inode_permission(file->f_inode, MAY_READ))
		bprm->unreadable = true;
}

/*
 * Whether the caller may look into the program: not into one that it could not read as a file, nor
 * into one that acts for another user.
 */
static bool may_dump(const struct linux_binprm *bprm)
{
	const struct cred *old = current_cred();

	return !bprm->unreadable && old->euid == old->uid && old->egid == old->gid &&
	       !creds_hide_memory(bprm->cred);
}

/* What the caller has chosen, and a program that acts for another user must not take over. */
static void drop_choices(const struct linux_binprm *bprm)
{
	current->personality &= ~(unsigned)READ_IMPLIES_EXEC;
	if (bprm->set_id)
		current->personality &= ~(unsigned)PER_CLEAR_ON_SETID;
	if (bprm->secureexec) {
		current->pdeath_signal = 0;
		lower_limit(RLIMIT_STACK, DEFAULT_STACK);
	}
	arch_pick_mmap_layout(current->mm, rlimit(RLIMIT_STACK));
}

/* The task gets its new name: the last part of the path, or the name of the file. */
static void set_comm(const struct linux_binprm *bprm)
{
	const char *base = strrchr(bprm->filename, '/');
	char comm[TASK_COMM_LEN];

	if (bprm->nameless) {
		dentry_name(bprm->file->f_path.dentry, comm, sizeof(comm));
		exec_task(comm);
	} else {
		exec_task(base ? base + 1 : bprm->filename);
	}
}

int begin_new_exec(struct linux_binprm *bprm)
{
	int error;

	creds_from_file(bprm);
	if (bprm->set_id && (current->personality & ADDR_NO_RANDOMIZE))
		return -ERESTART_RANDOMIZED;
	would_dump(bprm, bprm->file);
	bprm->point_of_no_return = true;
	error = de_thread();
	if (!error)
		error = unshare_files();
	if (!error)
		error = unshare_sighand();
	if (error)
		return error;
	vm_get_exe_file(bprm->file);
	bprm->mm->exe_file = bprm->file;
	mm_release(current);
	/* From here on the memory is the program's, and the credentials are not yet. */
	down_write(&current->signal->exec_update_lock);
	/*
	 * A tracer attaches under the lock: before this, or later by the new credentials. Another
	 * thread may have set no_new_privs before de_thread() ended it: with a seccomp filter.
	 */
	if (current->no_new_privs || (unlikely(current->tracee) && ptrace_ops.exec_limits()))
		limit_exec_creds(bprm->cred);
	bprm->mm->dumpable = may_dump(bprm);
	exec_mmap(bprm->mm);
	bprm->mm = NULL;
	drop_choices(bprm);
	new_program_parts();
	set_comm(bprm);
	do_close_on_exec(); /* after the mark: the reader of a pipe may act now */
	current->signal->membarrier_registered = false;
	commit_creds(bprm->cred);
	up_write(&current->signal->exec_update_lock);
	bprm->cred = NULL;
	return 0;
}

/* Copies the strings to the new stack. */
static int fill_stack(struct linux_binprm *bprm, const char __user *const __user *argv,
		      const char __user *const __user *envp)
{
	static bool warned;
	int error;

	bprm->argc = count_strings(argv);
	if (bprm->argc < 0)
		return bprm->argc;
	bprm->envc = count_strings(envp);
	if (bprm->envc < 0)
		return bprm->envc;
	error = bprm_stack_limits(bprm);
	if (!error)
		error = copy_string_kernel(bprm, bprm->filename);
	bprm->exec = bprm->p;
	if (!error)
		error = copy_strings(bprm, bprm->envc, envp);
	if (!error)
		error = copy_strings(bprm, bprm->argc, argv);
	if (error || bprm->argc)
		return error;
	/* A program may rely on argv[0]. Linux adds an empty one, too. */
	if (!xchg(&warned, true))
		pr_warn("process '%s' launched '%s' with NULL argv: empty string added\n",
			current->comm, bprm->filename);
	bprm->argc = 1;
	return copy_string_kernel(bprm, "");
}

static void put_program(struct file *file)
{
	allow_write_access(file);
	fput(file);
}

/* Loads the program; through its interpreter if it is a script. */
static int exec_binprm(struct linux_binprm *bprm)
{
	for (unsigned depth = 0;; depth++) {
		int error;

		if (depth > MAX_INTERP_REWRITE)
			return -ELOOP;
		error = read_start(bprm);
		if (error)
			return error;
		error = load_script(bprm);
		if (error == -ENOEXEC)
			return load_elf_binary(bprm);
		if (error)
			return error;
		put_program(bprm->file);
		bprm->file = bprm->interpreter;
		bprm->interpreter = NULL;
		error = deny_write_access(bprm->file);
		if (error) {
			fput(bprm->file);
			bprm->file = NULL;
			return error;
		}
	}
}

/* noinline, as alloc_bprm(): tools trace them by these names, which are Linux's. */
static noinline void free_bprm(struct linux_binprm *bprm)
{
	if (bprm->mm)
		mmput(bprm->mm);
	if (bprm->cred)
		put_cred(bprm->cred);
	if (bprm->in_exec_fs)
		end_exec_fs(bprm->fs_shared);
	if (bprm->interpreter)
		fput(bprm->interpreter);
	if (bprm->file)
		put_program(bprm->file);
	kfree(bprm->interp_buf);
	kfree(bprm->fdpath);
	kfree(bprm);
}

/* What AT_EXECFN says for a program that was found by a descriptor. */
static char *name_by_fd(int dfd, const char *name)
{
	char *text = kmalloc(32 + strlen(name), GFP_KERNEL);

	if (text)
		sprintf(text, *name ? "/dev/fd/%d/%s" : "/dev/fd/%d", dfd, name);
	return text;
}

/* Begins an exec: the new address space and its stack. Or an ERR_PTR. */
static noinline struct linux_binprm *alloc_bprm(int dfd, const char *name)
{
	struct linux_binprm *bprm = kzalloc(sizeof(*bprm), GFP_KERNEL);
	int error = -ENOMEM;

	if (!bprm)
		return ERR_PTR(-ENOMEM);
	bprm->filename = name;
	if (dfd != AT_FDCWD && name[0] != '/') {
		bprm->filename = bprm->fdpath = name_by_fd(dfd, name);
		if (!bprm->fdpath)
			goto fail;
		bprm->nameless = !*name;
		bprm->path_inaccessible = get_close_on_exec((unsigned)dfd);
	}
	bprm->interp = bprm->filename;
	bprm->mm = mm_alloc();
	if (!bprm->mm)
		goto fail;
	error = setup_stack(bprm->mm);
	if (error)
		goto fail;
	bprm->p = bprm->mm->start_stack;
	return bprm;

fail:
	free_bprm(bprm);
	return ERR_PTR(error);
}

/* Opens the program, and loads it. name: what exec was called with. */
static int do_exec(struct linux_binprm *bprm, int dfd, const char *name, int at_flags,
		   const char __user *const __user *argv, const char __user *const __user *envp)
{
	struct file *file;
	int error;

	bprm->cred = prepare_creds();
	if (!bprm->cred)
		return -ENOMEM;
	bprm->fs_shared = begin_exec_fs();
	bprm->in_exec_fs = true;
	/* Linux looks at the strings first, too. */
	error = fill_stack(bprm, argv, envp);
	if (error)
		return error;
	file = open_exec(dfd, name, at_flags);
	if (IS_ERR(file))
		return (int)PTR_ERR(file);
	error = deny_write_access(file);
	if (error) {
		fput(file);
		return error;
	}
	bprm->file = file;
	return exec_binprm(bprm);
}

static int try_execveat(int dfd, const char *name, int at_flags,
			const char __user *const __user *argv,
			const char __user *const __user *envp)
{
	struct linux_binprm *bprm = alloc_bprm(dfd, name);
	pid_t old_pid = current->pid;
	int error;

	if (IS_ERR(bprm))
		return (int)PTR_ERR(bprm);
	error = do_exec(bprm, dfd, name, at_flags, argv, envp);
	if (!error)
		trace_sched_process_exec(current, old_pid, bprm->filename);
	else if (bprm->point_of_no_return && !fatal_signal_pending(current))
		force_sigsegv(SIGSEGV);
	free_bprm(bprm);
	if (!error && unlikely(current->tracee))
		ptrace_ops.event(PTRACE_EVENT_EXEC, (unsigned)old_pid);
	return error;
}

/*
 * The stack is made before the file is known, at a place that is not random if the caller has asked
 * for that. If the program acts for another user, this counts for nothing: once more.
 */
static int do_execveat_common(int dfd, const char *name, int at_flags,
			      const char __user *const __user *argv,
			      const char __user *const __user *envp)
{
	unsigned personality = current->personality;
	int error;

	if (unlikely(current->flags & PF_NPROC_EXCEEDED)) {
		if (nproc_exceeded(current_cred()->user))
			return -EAGAIN;
		current->flags &= ~PF_NPROC_EXCEEDED;
	}
	error = try_execveat(dfd, name, at_flags, argv, envp);
	if (likely(error != -ERESTART_RANDOMIZED))
		return error;
	current->personality &= ~(unsigned)ADDR_NO_RANDOMIZE;
	error = try_execveat(dfd, name, at_flags, argv, envp);
	if (error)
		current->personality = personality;
	return error;
}

/* noinline because tools probe it by this name, which is Linux's, and read argv. */
static noinline int do_execve(const struct filename *name, const char __user *const __user *argv,
			      const char __user *const __user *envp)
{
	return do_execveat_common(AT_FDCWD, name->name, 0, argv, envp);
}

SYSCALL_DEFINE3(execve, const char __user *, filename, const char __user *const __user *, argv,
		const char __user *const __user *, envp)
{
	struct filename *name = getname(filename);
	int error;

	if (IS_ERR(name))
		return PTR_ERR(name);
	error = do_execve(name, argv, envp);
	putname(name);
	return error;
}

SYSCALL_DEFINE5(execveat, int, fd, const char __user *, filename, const char __user *const __user *,
		argv, const char __user *const __user *, envp, int, flags)
{
	struct filename *name;
	int error;

	if (flags & ~(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
		return -EINVAL;
	name = getname_flags(filename, flags);
	if (IS_ERR(name))
		return PTR_ERR(name);
	error = do_execveat_common(fd, name->name, flags, argv, envp);
	putname(name);
	return error;
}

static int do_kernel_execve(const char *path, const char *const *argv, const char *const *envp)
{
	/* A kernel task's user pointers are kernel addresses. */
	return do_execveat_common(AT_FDCWD, path, 0,
				  (__force const char __user *const __user *)argv,
				  (__force const char __user *const __user *)envp);
}

static int exec_init(void)
{
	kernel_execve = do_kernel_execve;
	return 0;
}
fs_initcall(exec_init);
