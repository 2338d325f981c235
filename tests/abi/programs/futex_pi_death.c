/* The end of the owner of a lock with priority inheritance: with a robust list, without, of several locks, at exec, as pthread mutex. */
#include <pthread.h>

#include "abi.h"

enum { LOCK_PI = 6, UNLOCK_PI = 7, TRYLOCK_PI = 8 };
#define WAITERS 0x80000000u
#define DIED    0x40000000u

struct entry {
	struct entry *next;
	unsigned word;
};
static struct {
	struct entry *first;
	long offset;
	struct entry *pending;
} head;

static unsigned *shared;
static pid_t main_tid;

static long futex(unsigned *at, int op)
{
	return syscall(SYS_futex, at, op, 0, NULL, NULL, 0);
}

static void show_word(const char *when, unsigned word)
{
	unsigned tid = word & 0x3fffffff;

	show("%s: %s%s%s", when, !tid ? "no owner" : tid == (unsigned)main_tid ? "main's" : "another's", word & WAITERS ? ", waiters" : "",
	     word & DIED ? ", died" : "");
}

/* A child takes the lock and ends when main waits for it. */
static void owner_ends(const char *name, int robust, int exec)
{
	int ready[2];
	char byte;
	pid_t child;

	memset(shared, 0, 4096);
	show("# %s", name);
	pipe(ready);
	child = fork();
	if (!child) {
		struct entry *entry = (struct entry *)(shared + 16);

		futex(&entry->word, LOCK_PI);
		if (robust) {
			head.offset = offsetof(struct entry, word);
			head.first = (struct entry *)((uintptr_t)entry | 1);
			entry->next = (struct entry *)&head;
			syscall(SYS_set_robust_list, &head, sizeof(head));
		}
		write(ready[1], "x", 1);
		until_asleep(main_tid, main_tid);
		if (exec)
			execl("/proc/self/exe", "futex_pi_death", "ends", (char *)NULL);
		_exit(0);
	}
	read(ready[0], &byte, 1);
	struct entry *entry = (struct entry *)(shared + 16);

	show("lock: %s", futex(&entry->word, LOCK_PI) < 0 ? error_name(errno) : "0");
	show_word("then", entry->word);
	show("unlock: %s", futex(&entry->word, UNLOCK_PI) < 0 ? error_name(errno) : "0");
	show_word("then", entry->word);
	waitpid(child, NULL, 0);
	close(ready[0]);
	close(ready[1]);
}

/* Nobody waits when the owner ends. */
static void ends_alone(int robust)
{
	pid_t child;
	struct entry *entry = (struct entry *)(shared + 16);

	memset(shared, 0, 4096);
	child = fork();
	if (!child) {
		futex(&entry->word, LOCK_PI);
		if (robust) {
			head.offset = offsetof(struct entry, word);
			head.first = (struct entry *)((uintptr_t)entry | 1);
			entry->next = (struct entry *)&head;
			syscall(SYS_set_robust_list, &head, sizeof(head));
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
	show("# nobody waits, %s", robust ? "robust" : "not robust");
	show_word("the word", entry->word);
	show("lock: %s", futex(&entry->word, LOCK_PI) < 0 ? error_name(errno) : "0");
	show_word("then", entry->word);
}

struct locks {
	pthread_mutex_t mutex;
	int ready;
};

static void *locks_and_ends(void *arg)
{
	struct locks *l = arg;

	pthread_mutex_lock(&l->mutex);
	__atomic_store_n(&l->ready, 1, __ATOMIC_SEQ_CST);
	usleep(30000);
	return NULL;
}

static void robust_mutex(void)
{
	struct locks l = { .ready = 0 };
	pthread_mutexattr_t attr;
	pthread_t thread;

	show("# a robust mutex of a thread that ends");
	pthread_mutexattr_init(&attr);
	show("protocol: %d", pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT));
	show("robust: %d", pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST));
	show("init: %d", pthread_mutex_init(&l.mutex, &attr));
	pthread_create(&thread, NULL, locks_and_ends, &l);
	while (!__atomic_load_n(&l.ready, __ATOMIC_SEQ_CST))
		usleep(1000);
	show("lock: %s", error_name(pthread_mutex_lock(&l.mutex)));
	show("consistent: %d", pthread_mutex_consistent(&l.mutex));
	show("unlock: %d", pthread_mutex_unlock(&l.mutex));
	show("lock: %d", pthread_mutex_lock(&l.mutex));
	show("unlock: %d", pthread_mutex_unlock(&l.mutex));
	pthread_join(thread, NULL);
	l.ready = 0;
	pthread_create(&thread, NULL, locks_and_ends, &l);
	pthread_join(thread, NULL);
	show("lock: %s", error_name(pthread_mutex_lock(&l.mutex)));
	show("unlock, not consistent: %d", pthread_mutex_unlock(&l.mutex));
	show("lock: %s", error_name(pthread_mutex_lock(&l.mutex)));
}

static long counter;
static pthread_mutex_t many;

static void *counts(void *arg)
{
	for (int i = 0; i < 3000; i++) {
		pthread_mutex_lock(&many);
		counter++;
		pthread_mutex_unlock(&many);
	}
	return NULL;
}

static void contended(void)
{
	pthread_mutexattr_t attr;
	pthread_t thread[6];

	show("# a mutex that six threads want");
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&many, &attr);
	for (int i = 0; i < 6; i++)
		pthread_create(&thread[i], NULL, counts, NULL);
	for (int i = 0; i < 6; i++)
		pthread_join(thread[i], NULL);
	show("counter %ld", counter);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return 0;
	main_tid = (pid_t)syscall(SYS_gettid);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	owner_ends("robust", 1, 0);
	owner_ends("not robust", 0, 0);
	owner_ends("exec, robust", 1, 1);
	owner_ends("exec, not robust", 0, 1);
	ends_alone(1);
	ends_alone(0);
	robust_mutex();
	contended();
	return 0;
}
