/* ptrace(2): the tracer is one thread; threads as tracees; exec of a thread; what the parent sees; the death of a tracer. */
#include "ptrace.h"
#include <pthread.h>

static void *exec_it(void *arg)
{
	execl("/proc/self/exe", "ptrace_threads", "again", NULL);
	return NULL;
}

static void two_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exec_it, NULL);
	for (;;)
		pause();
}

/* The thread takes the PID of the leader, and the leader's end is not reported. */
static void exec_of_thread(void)
{
	pid_t pid = traced_child(two_threads, OPT_CLONE | OPT_EXEC), tid;
	unsigned long message = 0;

	trace(CONT, pid, 0, 0);
	wait_for("clone", pid);
	trace(GETEVENTMSG, pid, 0, P(&message));
	tid = (pid_t)message;
	trace(CONT, pid, 0, 0);
	wait_for("thread", tid);
	trace(CONT, tid, 0, 0);
	wait_for("exec, as the leader", pid);
	trace(GETEVENTMSG, pid, 0, P(&message));
	TRUTH((pid_t)message == tid);
	CALL(waitpid(tid, NULL, ANY));
	CALL(trace(CONT, tid, 0, 0));
	CALL(trace(CONT, pid, 0, 0));
	wait_for("the end", pid);
}

static pid_t the_child;

static void *other_thread(void *arg)
{
	int status = 0;

	CALL(trace(PEEKUSER, the_child, 0, P(&status))); /* not its tracer */
	show("wait of the other thread: %s", waitpid(the_child, &status, ANY | WNOHANG) == the_child ? "found" : "nothing");
	return NULL;
}

static void *tracing_thread(void *arg)
{
	CALL(trace(SEIZE, the_child, 0, 0));
	CALL(trace(INTERRUPT, the_child, 0, 0));
	wait_for("interrupted", the_child);
	show("state %c", state_of(the_child, the_child));
	return NULL;
}

/* The end of the thread is the end of the tracing, though the process goes on. */
static void tracer_is_a_thread(void)
{
	pthread_t thread;

	the_child = sleeping_child();
	pthread_create(&thread, NULL, tracing_thread, NULL);
	pthread_join(thread, NULL);
	until_asleep(the_child, the_child);
	CALL(trace(CONT, the_child, 0, 0));
	CALL(trace(SEIZE, the_child, 0, 0));
	CALL(trace(INTERRUPT, the_child, 0, 0));
	usleep(1000);
	while (state_of(the_child, the_child) != 't')
		usleep(1000);
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_join(thread, NULL);
	kill(the_child, SIGKILL);
	wait_for("killed", the_child);
}

/* The child of this process is traced by another one: this one sees its end only after the tracer has seen it. */
static void two_parents(bool exitkill)
{
	int to[2], from[2], status = 0;
	pid_t child = sleeping_child(), tracer;
	siginfo_t info;
	char c;

	show("two parents%s", exitkill ? ", EXITKILL" : "");
	pipe(to);
	pipe(from);
	tracer = fork();
	if (!tracer) {
		CALL(trace(SEIZE, child, 0, exitkill ? OPT_EXITKILL : 0));
		write(from[1], "", 1);
		read(to[0], &c, 1);
		if (exitkill)
			_exit(0);
		memset(&info, 0, sizeof(info));
		CALL(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT | ANY));
		show("tracer: code %d status %d", info.si_code, info.si_status);
		write(from[1], "", 1);
		read(to[0], &c, 1);
		_exit(waitid(P_PID, (id_t)child, &info, WEXITED | ANY) ? 1 : 0);
	}
	read(from[0], &c, 1);
	if (!exitkill) {
		kill(child, SIGKILL);
		write(to[1], "", 1);
		read(from[0], &c, 1);
		show("parent: %s", waitpid(child, &status, WNOHANG) == 0 ? "nothing yet" : "?");
	}
	write(to[1], "", 1);
	wait_for("tracer", tracer);
	wait_for("child", child);
}

/*
 * The tracer dies while its tracee is in the stop of a signal. If it has waited for the stop, it would have had to answer:
 * the signal is lost.
 */
static void tracer_dies(bool waited)
{
	pid_t child = sleeping_child(), tracer = fork();
	siginfo_t info;

	if (!tracer) {
		trace(SEIZE, child, 0, 0);
		kill(child, SIGUSR1);
		CALL(waitid(P_PID, (id_t)child, &info, WSTOPPED | ANY | (waited ? 0 : WNOWAIT)));
		show("code %d status %d", info.si_code, info.si_status);
		_exit(0);
	}
	wait_for("tracer", tracer);
	if (waited) {
		until_asleep(child, child);
		kill(child, SIGUSR2);
	}
	wait_for("child", child);
}

/* waitid(2) says that a tracee is trapped; a parent with WSTOPPED sees a group stop of a child that another process traces. */
static void wait_ids(void)
{
	pid_t pid = sleeping_child();
	siginfo_t info;

	trace(SEIZE, pid, 0, 0);
	trace(INTERRUPT, pid, 0, 0);
	CALL(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT));
	show("code %d status %#x", info.si_code, info.si_status);
	CALL(waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG));
	show("code %d status %#x, the child: %s", info.si_code, info.si_status, info.si_pid == pid ? "yes" : "no");
	memset(&info, 0, sizeof(info));
	CALL(waitid(P_ALL, 0, &info, WSTOPPED | WEXITED | WNOHANG));
	show("code %d", info.si_code);
	kill(pid, SIGKILL);
	CALL(waitid(P_PID, (id_t)pid, &info, WEXITED));
	show("code %d status %d", info.si_code, info.si_status);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return 9;
	exec_of_thread();
	tracer_is_a_thread();
	two_parents(false);
	two_parents(true);
	tracer_dies(false);
	tracer_dies(true);
	wait_ids();
	return 0;
}
