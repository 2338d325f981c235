/* Yama: kernel.yama.ptrace_scope, and prctl(PR_SET_PTRACER). The value 3 stays for ever, so it is not tried here. */
#include "ptrace.h"
#include <sys/prctl.h>
#include <sys/uio.h>

#define USER       1000
#define SET_TRACER 0x59616d61

static const char path[] = "/proc/sys/kernel/yama/ptrace_scope";
static int tell[2], told[2];

static void set_scope(const char *value)
{
	int fd = open(path, O_WRONLY);
	ssize_t n = write(fd, value, strlen(value));

	show("ptrace_scope = %s: %s", value, n < 0 ? error_name(errno) : "ok");
	close(fd);
}

static void become_user(void)
{
	if (setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		show("no user");
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static void attach(const char *what, pid_t pid)
{
	static long word;
	struct iovec here = { &word, sizeof(word) }, there = { &word, sizeof(word) };
	char file[32], memory[20] = "ok", access[20] = "ok";
	int status, fd;

	snprintf(file, sizeof(file), "/proc/%d/mem", pid);
	fd = open(file, O_RDONLY);
	if (fd < 0)
		strcpy(memory, error_name(errno));
	close(fd);
	if (process_vm_readv(pid, &here, 1, &there, 1, 0) < 0)
		strcpy(access, error_name(errno));
	if (trace(SEIZE, pid, 0, 0)) {
		show("%s: SEIZE %s, /proc/PID/mem %s, process_vm_readv %s", what, error_name(errno), memory, access);
		return;
	}
	show("%s: SEIZE ok, /proc/PID/mem %s, process_vm_readv %s", what, memory, access);
	trace(INTERRUPT, pid, 0, 0);
	waitpid(pid, &status, ANY);
	trace(DETACH, pid, 0, 0);
}

/* A sibling of the attacker: what it reads, it passes to prctl(PR_SET_PTRACER). */
static void victim(void)
{
	long value;

	become_user();
	while (read(tell[0], &value, sizeof(value)) == sizeof(value)) {
		value = prctl(SET_TRACER, value, 0, 0, 0) ? errno : 0;
		write(told[1], &value, sizeof(value));
	}
	_exit(0);
}

static void let(const char *what, long pid)
{
	write(tell[1], &pid, sizeof(pid));
	read(told[0], &pid, sizeof(pid));
	show("it names %s: %s", what, pid ? error_name((int)pid) : "ok");
}

static void asks(void)
{
	show("TRACEME: %s", trace(TRACEME, 0, 0, 0) ? error_name(errno) : "ok");
	_exit(0);
}

static pid_t sibling;

/* A child of the process that the victim has named. */
static void grandchild(void)
{
	attach("its child to the sibling", sibling);
}

static void attacker(void)
{
	pid_t child, parent = getpid(), pid;

	become_user();
	child = sleeping_child();
	attach("a child", child);
	attach("a sibling", sibling);
	let("this process", getpid());
	attach("the sibling", sibling);
	CHILD(grandchild);
	let("another one", child);
	attach("the sibling", sibling);
	let("each process", -1);
	attach("the sibling", sibling);
	let("none", 0);
	attach("the sibling", sibling);
	let("one that is not there", 0x3ffffff);
	if (!(pid = fork())) {
		attach("a child to its parent", parent);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	if (!(pid = fork()))
		asks();
	waitpid(pid, NULL, 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void at(const char *scope)
{
	pid_t pid;

	set_scope(scope);
	pipe(tell);
	pipe(told);
	if (!(sibling = fork()))
		victim();
	until_asleep(sibling, sibling);
	CHILD(attacker);
	attach("root's to the user's", sibling);
	if (!(pid = fork()))
		asks();
	waitpid(pid, NULL, 0);
	kill(sibling, SIGKILL);
	waitpid(sibling, NULL, 0);
	close(tell[0]);
	close(tell[1]);
	close(told[0]);
	close(told[1]);
}

static void by_user(void)
{
	int fd = open(path, O_WRONLY);

	become_user();
	show("a user writes: %s", write(fd, "0", 1) < 0 ? error_name(errno) : "ok");
	show("a user opens: %s", open(path, O_WRONLY) < 0 ? error_name(errno) : "ok");
}

int main(void)
{
	struct stat st;
	char buf[16] = "";

	stat(path, &st);
	read(open(path, O_RDONLY), buf, sizeof(buf) - 1);
	show("mode %o, value %s", st.st_mode & 07777, strtok(buf, "\n"));
	set_scope("4");
	set_scope("-1");
	set_scope("x");
	at("0");
	at("1");
	at("2");
	CHILD(by_user);
	set_scope("0");
	return 0;
}
