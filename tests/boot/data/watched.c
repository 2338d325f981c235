/*
 * A program that a tracer watches. Each mark is a call of getpriority().
 *
 * watched family	marks in threads, in children, and after execve()
 * watched spin		computes for ever
 * watched calls	marks for ever
 * watched mark		one mark
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The instruction is in the program itself: a stack trace of it begins here. */
__attribute__((noinline)) void mark(void)
{
	long ret;

	__asm__ __volatile__("" : : "r"(__builtin_frame_address(0))); /* a frame of its own */
	__asm__ __volatile__("syscall" : "=a"(ret) : "a"(SYS_getpriority), "D"(0), "S"(0) : "rcx", "r11", "memory");
}

__attribute__((noinline)) void outer(void)
{
	mark();
}

static void *thread(void *name)
{
	prctl(PR_SET_NAME, name);
	outer();
	return NULL;
}

/* Waits for a child that may only run on the CPU of this thread. */
static void leave_the_cpu(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_setaffinity(0, sizeof(here), &here);
	if (fork() == 0)
		_exit(0);
	wait(NULL);
}

static void *exec_thread(void *unused)
{
	(void)unused;
	mark();
	leave_the_cpu(); /* the tracer saves names and tgids at switches: here for the thread's own PID */
	execl("/proc/self/exe", "watched", "mark", (char *)NULL);
	return NULL;
}

static void run_thread(void *(*function)(void *), void *argument)
{
	pthread_t t;

	pthread_create(&t, NULL, function, argument);
	pthread_join(t, NULL);
}

static void in_child(void (*run)(void))
{
	if (fork() == 0) {
		run();
		_exit(0);
	}
	wait(NULL);
}

__attribute__((noinline)) static void rename_self(void)
{
	mark();
	prctl(PR_SET_NAME, "child");
	mark();
}

__attribute__((noinline)) static void exec_self(void)
{
	mark();
	execl("/proc/self/exe", "watched", "mark", (char *)NULL);
}

__attribute__((noinline)) static void exec_in_thread(void)
{
	run_thread(exec_thread, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "family")) {
		mark();
		run_thread(thread, "second");
		mark();
		in_child(rename_self);
		in_child(exec_self);
		in_child(exec_in_thread);
		mark();
	} else if (!strcmp(what, "mark")) {
		mark();
	} else if (!strcmp(what, "spin")) {
		for (;;)
			__asm__ __volatile__("");
	} else if (!strcmp(what, "calls")) {
		for (;;)
			mark();
	}
	return 0;
}
