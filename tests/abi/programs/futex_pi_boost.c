/* Priority inheritance: the owner of a lock runs with the priority of its waiters, along chains, and waiters get it by priority. */
#include <pthread.h>
#include <sched.h>

#include "abi.h"

enum { LOCK_PI = 6, UNLOCK_PI = 7, PRIVATE = 128 };

static unsigned word[4];

/* musl's functions do not make the system calls. */
static int set_scheduler(pid_t tid, int policy, const struct sched_param *param)
{
	return (int)syscall(SYS_sched_setscheduler, tid, policy, param);
}

static int set_param(pid_t tid, const struct sched_param *param)
{
	return (int)syscall(SYS_sched_setparam, tid, param);
}

static int get_param(pid_t tid, struct sched_param *param)
{
	return (int)syscall(SYS_sched_getparam, tid, param);
}

static long lock(unsigned *at)
{
	return syscall(SYS_futex, at, LOCK_PI | PRIVATE, 0, NULL, NULL, 0);
}

static long unlock(unsigned *at)
{
	return syscall(SYS_futex, at, UNLOCK_PI | PRIVATE, 0, NULL, NULL, 0);
}

/* Fields of /proc/PID/task/TID/stat behind the name; state is the first. */
static char read_stat(pid_t tid, long *prio, long *nice, long *rt)
{
	char path[64], text[1024], state, *at;
	int fd, field = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	fd = open(path, O_RDONLY);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	at = strrchr(text, ')') + 2;
	state = *at;
	for (char *token = strtok(at, " "); token; token = strtok(NULL, " "), field++) {
		if (field == 15)
			*prio = atol(token);
		if (field == 16)
			*nice = atol(token);
		if (field == 37)
			*rt = atol(token);
	}
	return state;
}

static void show_prio(const char *who, pid_t tid)
{
	long prio = 0, nice = 0, rt = 0;
	struct sched_param param = { .sched_priority = 0 };

	read_stat(tid, &prio, &nice, &rt);
	get_param(tid, &param);
	show("%s: priority %ld, nice %ld, rt_priority %ld; sched_getparam %d", who, prio, nice, rt, param.sched_priority);
}

struct thread {
	pthread_t thread;
	pid_t tid;
	int prio;                   /* 0: SCHED_OTHER */
	unsigned *first, *second;   /* locks it takes */
	const char *name;
};

static void *body(void *arg)
{
	struct thread *t = arg;
	struct sched_param param = { .sched_priority = t->prio };

	if (t->prio)
		set_scheduler(0, SCHED_FIFO, &param);
	__atomic_store_n(&t->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	lock(t->first);
	if (t->second)
		lock(t->second);
	show("%s runs", t->name);
	if (t->second)
		unlock(t->second);
	unlock(t->first);
	return NULL;
}

/* Starts it, and returns when it sleeps. */
static void start(struct thread *t)
{
	long dummy;

	pthread_create(&t->thread, NULL, body, t);
	while (!__atomic_load_n(&t->tid, __ATOMIC_SEQ_CST))
		usleep(1000);
	while (read_stat(t->tid, &dummy, &dummy, &dummy) != 'S')
		usleep(1000);
}

static void join(struct thread *t)
{
	pthread_join(t->thread, NULL);
}

static pid_t self;

static void one_lock(void)
{
	struct thread a = { .prio = 10, .first = &word[0], .name = "10" };
	struct thread b = { .prio = 30, .first = &word[0], .name = "30" };
	struct thread c = { .prio = 0, .first = &word[0], .name = "normal" };
	struct thread d = { .prio = 20, .first = &word[0], .name = "20" };
	struct sched_param param = { .sched_priority = 40 };

	show("# one lock, waiters of four priorities");
	lock(&word[0]);
	show_prio("before", self);
	start(&c);
	show_prio("a normal one waits", self);
	start(&a);
	show_prio("10 waits", self);
	start(&b);
	show_prio("30 waits", self);
	start(&d);
	show_prio("20 waits", self);
	set_scheduler(a.tid, SCHED_FIFO, &param);
	show_prio("10 becomes 40", self);
	param.sched_priority = 25;
	set_scheduler(a.tid, SCHED_FIFO, &param);
	param.sched_priority = 0;
	set_scheduler(b.tid, SCHED_OTHER, &param);
	show_prio("40 becomes 25, 30 a normal one", self);
	unlock(&word[0]);
	join(&a), join(&b), join(&c), join(&d);
	show_prio("unlocked", self);
}

static void chain(void)
{
	struct thread low = { .prio = 0, .first = &word[1], .second = &word[0], .name = "low" };
	struct thread middle = { .prio = 5, .first = &word[2], .second = &word[1], .name = "middle" };
	struct thread high = { .prio = 50, .first = &word[2], .name = "high" };
	struct sched_param param = { .sched_priority = 60 };

	show("# a chain of three locks");
	lock(&word[0]);
	start(&low);
	start(&middle);
	show_prio("5 waits: main", self);
	show_prio("low", low.tid);
	start(&high);
	show_prio("50 waits: main", self);
	show_prio("low", low.tid);
	show_prio("middle", middle.tid);
	set_scheduler(high.tid, SCHED_RR, &param);
	show_prio("60: main", self);
	show_prio("low", low.tid);
	show_prio("middle", middle.tid);
	errno = 0;
	show("main locks what low has: %s", lock(&word[1]) < 0 ? error_name(errno) : "0");
	show("main locks what middle has: %s", lock(&word[2]) < 0 ? error_name(errno) : "0");
	unlock(&word[0]);
	join(&low), join(&middle), join(&high);
	show_prio("unlocked: main", self);
}

static void own_priority(void)
{
	struct thread a = { .prio = 10, .first = &word[0], .name = "10" };
	struct sched_param param = { .sched_priority = 20 };

	show("# the owner's own priority changes");
	lock(&word[0]);
	start(&a);
	CALL(set_scheduler(0, SCHED_FIFO, &param));
	show_prio("owner becomes 20", self);
	param.sched_priority = 5;
	CALL(set_param(0, &param));
	show_prio("owner becomes 5", self);
	param.sched_priority = 0;
	CALL(set_scheduler(0, SCHED_OTHER, &param));
	show_prio("owner becomes normal", self);
	unlock(&word[0]);
	join(&a);
	show_prio("unlocked", self);
}

static void nice_values(void)
{
	struct thread a = { .prio = 0, .first = &word[0], .name = "nice 0" };

	show("# nice");
	lock(&word[0]);
	start(&a);
	setpriority(PRIO_PROCESS, 0, 10);
	show_prio("owner becomes nice 10", self);
	setpriority(PRIO_PROCESS, a.tid, -5);
	unlock(&word[0]);
	join(&a);
	show_prio("unlocked", self);
	setpriority(PRIO_PROCESS, 0, 0);
}

static void inherited_by_children(void)
{
	struct thread a = { .prio = 10, .first = &word[0], .name = "10" };
	int status;
	pid_t child;

	show("# a child does not inherit what its parent inherits");
	lock(&word[0]);
	start(&a);
	child = fork();
	if (!child) {
		show_prio("child", (pid_t)syscall(SYS_gettid));
		_exit(0);
	}
	waitpid(child, &status, 0);
	unlock(&word[0]);
	join(&a);
}

int main(void)
{
	cpu_set_t one;

	/* On one CPU, the order in which the threads print is that of their priorities. */
	sched_getaffinity(0, sizeof(one), &one);
	for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &one) && found++)
			CPU_CLR(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	self = (pid_t)syscall(SYS_gettid);
	one_lock();
	chain();
	own_priority();
	nice_values();
	inherited_by_children();
	return 0;
}
