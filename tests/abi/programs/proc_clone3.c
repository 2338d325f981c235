/* clone3(2): its structure, whose size says the version, and its errors. */
#include "abi.h"

#include <sched.h>

struct args {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
	uint64_t beyond[4];
};

static void try(const char *name, struct args *args, size_t size)
{
	int status = 0;
	long pid = syscall(SYS_clone3, args, size);

	if (!pid)
		_exit(3);
	if (pid < 0) {
		show("%s: %s", name, error_name(errno));
		return;
	}
	show("%s: found %d, exit %d", name, waitpid((pid_t)pid, &status, __WALL) == pid, WEXITSTATUS(status));
}

int main(void)
{
	int child_tid = 0, parent_tid = 0;
	struct args a = { .exit_signal = SIGCHLD };

	try("as fork", &a, 88);
	try("first version", &a, 64);
	try("second version", &a, 80);
	try("too small", &a, 63);
	try("larger than known, zeros", &a, sizeof(a));
	a.beyond[1] = 1;
	try("larger than known, not zeros", &a, sizeof(a));
	a.beyond[1] = 0;
	try("too large", &a, 8192);
	try("nowhere", NULL, 88);
	a.exit_signal = 65;
	try("bad signal", &a, 88);
	a.exit_signal = 0x100 | SIGCHLD;
	try("signal with flags", &a, 88);
	a = (struct args){ .flags = SIGCHLD };
	try("signal in flags", &a, 88);
	a = (struct args){ .exit_signal = SIGCHLD, .stack = 4096 };
	try("stack without size", &a, 88);
	a = (struct args){ .exit_signal = SIGCHLD, .stack_size = 4096 };
	try("size without stack", &a, 88);
	a = (struct args){ .exit_signal = SIGCHLD, .flags = CLONE_PARENT_SETTID, .parent_tid = (uint64_t)(long)&parent_tid };
	try("parent_tid", &a, 88);
	show("parent_tid set: %d", parent_tid > 0);
	a = (struct args){ .exit_signal = SIGCHLD, .flags = CLONE_CHILD_SETTID, .child_tid = (uint64_t)(long)&child_tid };
	try("child_tid", &a, 88);
	show("child_tid here: %d", child_tid);
	a = (struct args){ .flags = CLONE_THREAD };
	try("thread alone", &a, 88);
	a = (struct args){ .flags = CLONE_THREAD | CLONE_SIGHAND | CLONE_VM, .exit_signal = SIGCHLD };
	try("thread with signal", &a, 88);
	a = (struct args){ .flags = 1ULL << 40, .exit_signal = SIGCHLD };
	try("unknown flag", &a, 88);
	a = (struct args){ .exit_signal = SIGCHLD, .set_tid_size = 1 };
	try("set_tid without array", &a, 88);
	return 0;
}
