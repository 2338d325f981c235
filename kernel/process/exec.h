/* What exec does to the process, apart from its memory and its files: fs/exec/ calls this. */
#pragma once

#include "kernel/task/cred.h"

/*
 * Starts a program in place of the current one, or of the kernel task that calls: then it returns
 * 0, and the program begins when the task's first function returns. argv and envp end with NULL.
 * Set by fs/exec/. Task context.
 */
extern int (*kernel_execve)(const char *path, const char *const *argv, const char *const *envp);

/*
 * Ends all other threads of the process and makes the current task its leader, with the leader's
 * PID. 0, or -EAGAIN: another thread ends the process, or calls exec. Task context.
 */
int de_thread(void);
/* Gives the current process actions of its own. 0 or -ENOMEM. */
int unshare_sighand(void);
/* The current task has a new program: signals, comm, flags. de_thread() has been called. */
void exec_task(const char *comm);
/*
 * Credentials for a program. set_uid, set_gid: the owner and the group of its file, if the mode has
 * the bits that make the program act for them; or NULL. shared: another process shares something
 * with this one that the program relies on, so it gets no more than its caller has. *secure: the
 * program may act for another user than its caller. Returns whether set_uid or set_gid has counted.
 * Changes new, a copy of the current ones.
 */
bool exec_creds(struct cred *new, const u32 *set_uid, const u32 *set_gid, bool shared,
		bool *secure);
/* Takes back the rights that exec_creds() has given, and that the caller lacks. */
void limit_exec_creds(struct cred *new);
