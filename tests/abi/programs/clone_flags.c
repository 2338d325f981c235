/* clone(2) and clone3(2): combinations that are refused, what is shared, the ids that are stored. */
#include "abi.h"
#include <sched.h>

struct args {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
	uint64_t more;
};

static long raw_clone(unsigned long flags)
{
	return syscall(SYS_clone, flags, 0, 0, 0, 0);
}

static void refused(void)
{
	struct args args = { 0 };

	CALL(raw_clone(CLONE_THREAD));
	CALL(raw_clone(CLONE_THREAD | CLONE_SIGHAND));
	CALL(raw_clone(CLONE_SIGHAND));
	CALL(raw_clone(CLONE_SIGHAND | CLONE_VM | CLONE_NEWNS | CLONE_FS));
	CALL(syscall(SYS_clone3, &args, 63));
	CALL(syscall(SYS_clone3, &args, 5000));
	CALL(syscall(SYS_clone3, 8, 64));
	args.more = 1;
	CALL(syscall(SYS_clone3, &args, sizeof(args)));
	args = (struct args){ .exit_signal = 65 };
	CALL(syscall(SYS_clone3, &args, 64));
	args = (struct args){ .exit_signal = 256 };
	CALL(syscall(SYS_clone3, &args, 64));
	args = (struct args){ .stack = 4096 };
	CALL(syscall(SYS_clone3, &args, 64));
	args = (struct args){ .stack_size = 4096 };
	CALL(syscall(SYS_clone3, &args, 64));
	args = (struct args){ .flags = 17 };
	CALL(syscall(SYS_clone3, &args, 64));
	args = (struct args){ .flags = CLONE_PARENT, .exit_signal = SIGCHLD };
	CALL(syscall(SYS_clone3, &args, 64));
	args = (struct args){ .flags = 1UL << 40 };
	CALL(syscall(SYS_clone3, &args, 64));
	args = (struct args){ .flags = CLONE_SIGHAND | CLONE_VM | 0x100000000UL };
	CALL(syscall(SYS_clone3, &args, 64));
}

static int value, parent_tid, child_tid;

static void tids(void)
{
	struct args args = { .flags = CLONE_PARENT_SETTID | CLONE_CHILD_SETTID,
			     .parent_tid = (uintptr_t)&parent_tid,
			     .child_tid = (uintptr_t)&child_tid,
			     .exit_signal = SIGCHLD };
	int status;
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, 64);

	if (!pid)
		_exit(child_tid == syscall(SYS_getpid) ? 1 : 2);
	TRUTH(parent_tid == pid);
	TRUTH(child_tid == 0);
	waitpid(pid, &status, 0);
	show_status("child sees its own id", status);
}

static int in_thread(void *arg)
{
	value = 5;
	chdir("/");
	close(9);
	umask(011);
	signal(SIGUSR1, SIG_IGN);
	return 3;
}

static void shared(int flags, const char *name)
{
	struct sigaction action;
	char cwd[200];
	int status;
	pid_t pid;

	value = 0;
	dup2(1, 9);
	umask(022);
	signal(SIGUSR1, SIG_DFL);
	chdir("/tmp");
	pid = clone(in_thread, (char *)malloc(65536) + 65536, flags | SIGCHLD, NULL);
	waitpid(pid, &status, 0);
	getcwd(cwd, sizeof(cwd));
	sigaction(SIGUSR1, NULL, &action);
	show("%s: value %d, cwd %s, fd 9 %s, umask %o, handler %s", name, value, cwd, fcntl(9, F_GETFD) < 0 ? "closed" : "open",
	     umask(022), action.sa_handler == SIG_IGN ? "ignored" : "default");
}

static void vfork_shares(void)
{
	volatile int seen = 0;
	int status;
	pid_t pid = vfork();

	if (!pid) {
		seen = 7;
		usleep(10000);
		_exit(4);
	}
	show("after vfork: %d", seen);
	waitpid(pid, &status, 0);
	show_status("vfork", status);
}

static volatile sig_atomic_t usr2;

static void count(int sig)
{
	usr2++;
}

static void other_exit_signal(void)
{
	int status;
	pid_t pid;

	signal(SIGUSR2, count);
	pid = (pid_t)raw_clone(SIGUSR2);
	if (!pid)
		_exit(1);
	while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		;
	show_status("clone", status);
	show("SIGUSR2: %d", (int)usr2);
}

int main(void)
{
	CHILD(refused);
	CHILD(tids);
	shared(0, "nothing");
	shared(CLONE_VM, "VM");
	shared(CLONE_FS, "FS");
	shared(CLONE_FILES, "FILES");
	shared(CLONE_VM | CLONE_SIGHAND, "VM SIGHAND");
	CHILD(vfork_shares);
	CHILD(other_exit_signal);
	return 0;
}
