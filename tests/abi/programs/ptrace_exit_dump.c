/* A tracer holds a thread at its exit stop while another thread of the process dumps core: neither waits for the other one. */
#include "ptrace.h"

#include <elf.h>
#include <pthread.h>

/* A byte lets a thread go on. */
static int leave[2], crash[2];

static void *leaves(void *unused)
{
	read(leave[0], &(char){ 0 }, 1);
	syscall(SYS_exit, 3);
	return unused;
}

static void *crashes(void *unused)
{
	read(crash[0], &(char){ 0 }, 1);
	*(volatile int *)16 = 0;
	return unused;
}

static void three_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, leaves, NULL);
	pthread_create(&thread, NULL, crashes, NULL);
	for (;;)
		pause();
}

/* The threads of which the core file has registers. */
static void show_core(void)
{
	static char core[1 << 20];
	const Elf64_Ehdr *elf = (void *)core;
	const Elf64_Phdr *segment = (void *)(core + sizeof(*elf));
	int fd = open("core", O_RDONLY), threads = 0;
	ssize_t n = read(fd, core, sizeof(core));

	close(fd);
	unlink("core");
	if (n < (ssize_t)sizeof(*elf) || memcmp(core, ELFMAG, SELFMAG)) {
		show("no core file");
		return;
	}
	for (size_t at = segment->p_offset; at < segment->p_offset + segment->p_filesz;) {
		const Elf64_Nhdr *note = (void *)(core + at);

		threads += note->n_type == NT_PRSTATUS;
		at += sizeof(*note) + ((note->n_namesz + 3) & ~3U) + ((note->n_descsz + 3) & ~3U);
	}
	show("threads in the core file: %d", threads);
}

static void show_message(const char *name, pid_t tid)
{
	unsigned long message = 0;

	trace(GETEVENTMSG, tid, 0, P(&message));
	show("%s: message %#lx", name, message);
}

/* Lets the new thread of a stop of pid at clone(2) run. */
static pid_t new_thread(pid_t pid)
{
	unsigned long tid = 0;

	wait_for("leader", pid);
	trace(GETEVENTMSG, pid, 0, P(&tid));
	trace(CONT, pid, 0, 0);
	wait_for("thread", (pid_t)tid);
	trace(CONT, (pid_t)tid, 0, 0);
	return (pid_t)tid;
}

/* All threads have this tracer. */
static void one_tracer(void)
{
	pid_t pid = traced_child(three_threads, OPT_CLONE | OPT_EXIT), left, crashed;

	trace(CONT, pid, 0, 0);
	left = new_thread(pid);
	crashed = new_thread(pid);
	until_asleep(pid, pid);

	write(leave[1], "", 1);
	wait_for("leaves", left);
	show_message("leaves", left);
	write(crash[1], "", 1);
	wait_for("crashes", crashed);
	trace(CONT, crashed, 0, SIGSEGV);
	wait_for("crashes", crashed);
	show_message("crashes", crashed);
	wait_for("leader", pid);
	show_message("leader", pid);
	show_core();
	show("the one that leaves: %c", state_of(pid, left));
	trace(CONT, pid, 0, 0);
	trace(CONT, crashed, 0, 0);
	wait_for("crashes", crashed);
	CALL(waitpid(pid, NULL, ANY | WNOHANG));
	show("the one that leaves: %c", state_of(pid, left));
	CALL(trace(CONT, left, 0, 0));
	wait_for("leaves", left);
	wait_for("leader", pid);
}

static pid_t *shared_tid;

static void *tells_and_leaves(void *unused)
{
	__atomic_store_n(shared_tid, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	return leaves(unused);
}

static void two_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, tells_and_leaves, NULL);
	crashes(NULL);
}

/* Only the thread that leaves is traced. The parent sees the end of the process when that thread has ended, too. */
static void tracer_of_one(void)
{
	pid_t pid, left;

	shared_tid = mmap(NULL, sizeof(*shared_tid), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = fork();
	if (!pid)
		two_threads();
	while (!(left = __atomic_load_n(shared_tid, __ATOMIC_SEQ_CST)))
		usleep(1000);
	CALL(trace(SEIZE, left, 0, OPT_EXIT));
	write(leave[1], "", 1);
	wait_for("leaves", left);
	write(crash[1], "", 1);
	while (state_of(pid, pid) != 'Z')
		usleep(1000);
	show_core();
	show("the one that leaves: %c", state_of(pid, left));
	CALL(waitpid(pid, NULL, WNOHANG));
	CALL(trace(CONT, left, 0, 0));
	wait_for("leaves", left);
	wait_for("leader", pid);
}

int main(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_CORE, &limit);
	pipe(leave);
	pipe(crash);
	one_tracer();
	tracer_of_one();
	return 0;
}
