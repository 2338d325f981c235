/*
 * unshare(2) of what threads share: the current directory, the umask, the descriptors; of namespaces, by a task that may
 * not. setns(2) without a namespace.
 */
#include "abi.h"
#include <pthread.h>
#include <sched.h>

static int fd;

static void *shares(void *arg)
{
	chdir("d");
	umask(077);
	close(fd);
	return NULL;
}

static void *alone(void *arg)
{
	CALL(unshare(CLONE_FS));
	CALL(unshare(CLONE_FILES));
	CALL(unshare(CLONE_FS | CLONE_FILES | CLONE_SYSVSEM));
	CALL(unshare(CLONE_THREAD));
	CALL(unshare(CLONE_SIGHAND));
	CALL(unshare(CLONE_VM));
	return shares(arg);
}

static void look(const char *what, void *(*fn)(void *))
{
	pthread_t thread;
	char cwd[100] = "";
	mode_t mask;

	umask(022);
	fd = open("f", O_CREAT | O_RDWR, 0644);
	pthread_create(&thread, NULL, fn, NULL);
	pthread_join(thread, NULL);
	getcwd(cwd, sizeof(cwd));
	mask = umask(022);
	show("%s: directory %s, umask %o, descriptor %s", what,
	     strcmp(cwd + strlen(cwd) - 2, "/d") ? "own" : "changed", mask,
	     fcntl(fd, F_GETFD) < 0 ? "closed" : "open");
}

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static void nobody(void)
{
	static const unsigned long types[] = { CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWPID,
					       CLONE_NEWCGROUP, CLONE_NEWTIME };

	setuid(65534);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		show("type %lx", types[i]);
		CALL(unshare(types[i]));
		CALL(unshare(types[i] | CLONE_FS | CLONE_FILES));
		CALL(unshare(types[i] | CLONE_PARENT));
		if (types[i] != CLONE_NEWTIME)
			CALL(syscall(SYS_clone, types[i] | SIGCHLD, 0, 0, 0, 0));
	}
	CALL(syscall(SYS_clone, CLONE_NEWNS | CLONE_FS | SIGCHLD, 0, 0, 0, 0));
	CALL(syscall(SYS_clone, CLONE_NEWUSER | CLONE_FS | SIGCHLD, 0, 0, 0, 0));
	CALL(syscall(SYS_clone, CLONE_NEWPID | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM, 0, 0, 0, 0));
}

int main(void)
{
	CHILD(nobody);
	mkdir("d", 0755);
	CALL(unshare(CLONE_THREAD | CLONE_SIGHAND | CLONE_VM));
	look("alone", alone);
	look("shared", shares);
	CALL(unshare(0));
	CALL(unshare(CLONE_SETTLS));
	CALL(unshare(CLONE_PARENT));
	CALL(unshare(1));
	CALL(setns(99, 0));
	CALL(setns(0, 0));
	CALL(setns(open("/dev/null", O_RDONLY), 0));
	CALL(setns(open(".", O_RDONLY), CLONE_FS));
	return 0;
}
