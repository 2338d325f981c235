/* clone(2): what CLONE_VM, CLONE_FILES, CLONE_FS and CLONE_PARENT share, and what stays apart. */
#include "abi.h"

#include <sched.h>

static char stack[65536] __attribute__((aligned(16)));
static int value;

static int change(void *unused)
{
	value = 5;
	close(20);
	dup2(1, 21);
	chdir("d");
	umask(0);
	signal(SIGUSR1, SIG_IGN);
	_exit(0);
}

static void try(const char *name, int flags)
{
	char directory[256];
	struct sigaction action;
	pid_t pid;

	value = 0;
	dup2(1, 20);
	close(21);
	umask(022);
	signal(SIGUSR1, SIG_DFL);
	pid = clone(change, stack + sizeof(stack), flags | SIGCHLD, NULL);
	if (pid < 0) {
		show("%s: %s", name, error_name(errno));
		return;
	}
	waitpid(pid, NULL, __WALL);
	getcwd(directory, sizeof(directory));
	sigaction(SIGUSR1, NULL, &action);
	show("%s: memory %d, closed %d, opened %d, directory %d, umask %o, handler %d", name, value == 5,
	     fcntl(20, F_GETFD) < 0, fcntl(21, F_GETFD) >= 0, strstr(directory, "/d") != NULL, umask(022),
	     action.sa_handler == SIG_IGN);
	while (strstr(directory, "/d")) {
		chdir("..");
		getcwd(directory, sizeof(directory));
	}
}

static int parent_of_child(void *unused)
{
	show("the same parent: %d", getppid() == (pid_t)(long)unused);
	_exit(9);
}

static void with_parent(void)
{
	int end[2];
	char c;
	pid_t parent = getppid(), pid;

	pipe(end);
	pid = clone(parent_of_child, stack + sizeof(stack), CLONE_PARENT | SIGCHLD, (void *)(long)parent);

	close(end[1]);
	read(end[0], &c, 1); /* until it ends */
	show("no child of mine: %d", waitpid(pid, NULL, __WALL) < 0 && errno == ECHILD);
}

int main(void)
{
	int status;

	mkdir("d", 0755);
	try("nothing", 0);
	try("CLONE_VM", CLONE_VM);
	try("CLONE_FILES", CLONE_FILES);
	try("CLONE_FS", CLONE_FS);
	try("CLONE_VM | SIGHAND", CLONE_VM | CLONE_SIGHAND);
	try("all", CLONE_VM | CLONE_FILES | CLONE_FS | CLONE_SIGHAND);
	try("CLONE_VM | VFORK", CLONE_VM | CLONE_VFORK);
	CHILD(with_parent);
	while (wait(&status) > 0)
		show_status("of the child", status);
	return 0;
}
