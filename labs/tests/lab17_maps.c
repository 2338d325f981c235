/*
 * The maps of eBPF: queues, locks, pools, hash tables, LRU.
 * sources: trace/bpf/maps/map.c trace/bpf/maps/pool.c trace/bpf/maps/hash.c trace/bpf/maps/percpu_hash.c trace/bpf/maps/lru.c trace/bpf/maps/queue_stack.c kernel/task/capability.c
 *
 * lab17_maps STEP prints what it has seen; labs/tests/lab17.py judges it. Each thread is a CPU. A signal handler is an NMI.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "kernel/errno.h"
#include "kernel/mm/vmalloc.h"
#include "trace/bpf/core/prog.h"
#include "trap_flag.h"
#include "trace/bpf/maps/hash.h"

/* ---- what the maps need ---- */

__thread unsigned host_cpu;
unsigned nr_cpu_ids = 2;
struct cpumask cpu_possible_mask = { { 3 } };
DEFINE_PER_CPU(u32, __preempt_count);
DEFINE_PER_CPU(bool, host_irqs_off);
DEFINE_PER_CPU(void *, current_task);

void *__kmalloc(size_t size, gfp_t gfp) { return gfp & __GFP_ZERO ? calloc(1, size) : malloc(size); }
void *kmalloc_trace(unsigned long id, gfp_t gfp, size_t size) { return (void)id, __kmalloc(size, gfp); }
void kfree(const void *p) { free((void *)p); }
void *kvzalloc(size_t size, gfp_t gfp) { return (void)gfp, calloc(1, size); }
void kvfree(const void *p) { free((void *)p); }
void si_meminfo(struct meminfo *info) { info->total = info->free = 1ULL << 30; }
void get_random_bytes(void *buf, size_t len) { memset(buf, 0x5a, len); }
void preempt_schedule(void) { }
void __mutex_init(struct mutex *m) { (void)m; }
void mutex_lock(struct mutex *m) { (void)m; }
void mutex_unlock(struct mutex *m) { (void)m; }
void INIT_WORK(struct work_struct *work, work_func_t func) { work->func = func; }
bool schedule_work(struct work_struct *work) { return work; }
bool cancel_work_sync(struct work_struct *work) { return work; }
bool irq_work_queue(struct irq_work *work) { return work; }
void irq_work_sync(struct irq_work *work) { (void)work; }
u64 bpf_call_callback(const void *f, u64 a, u64 b, u64 c, u64 d, u64 e) { return (u64)f + a + b + c + d + e; }

static struct bpf_map *new_map_of(u32 value_size, u32 type, u32 key_size, u32 max_entries)
{
	union bpf_attr attr = { .map_type = type, .key_size = key_size, .value_size = value_size,
				.max_entries = max_entries };
	struct bpf_map *map = bpf_find_map_type(type)->alloc(&attr);

	if (IS_ERR(map))
		exit(2);
	return map;
}

static struct bpf_map *new_map(u32 type, u32 key_size, u32 max_entries)
{
	return new_map_of(8, type, key_size, max_entries);
}

static long update(struct bpf_map *map, u64 key, u64 value)
{
	return map->ops->update(map, &key, &value, BPF_ANY);
}

static u64 *lookup(struct bpf_map *map, u64 key)
{
	return map->ops->lookup(map, &key);
}

static void say(const char *word, u64 number)
{
	printf("%s %lu\n", word, (unsigned long)number);
	fflush(stdout);
}

/* ---- steps ---- */

#define WORDS 3 /* of 8 bytes in each value of a queue */

static long push(struct bpf_map *map, u64 number, u64 flags)
{
	u64 value[WORDS] = { number, number + 1, number + 2 };

	return map->ops->push(map, value, flags);
}

/* What peek() or pop() says, and whether it gives a value with that number; no number: zeros. */
static bool gives(long (*get)(struct bpf_map *map, void *value), struct bpf_map *map, long result, const u64 *number)
{
	u64 value[WORDS] = { ~0ULL, ~0ULL, ~0ULL };
	bool right = get(map, value) == result;

	for (unsigned i = 0; i < WORDS; i++)
		right &= value[i] == (number ? *number + i : 0);
	return right;
}

static void queues(u32 type)
{
	struct bpf_map *map = new_map_of(8 * WORDS, type, 0, 5);
	u64 wrong = 0, n = 0;

	for (unsigned round = 0; round < 13; round++) {
		u64 first = n;

		for (unsigned i = 0; i < 5; i++, n++)
			wrong += push(map, n, BPF_ANY) != 0;
		wrong += push(map, n, BPF_ANY) != -E2BIG;
		wrong += push(map, n, BPF_EXIST) != 0; /* the oldest one goes */
		n++;
		for (unsigned i = 0; i < 5; i++) {
			u64 expected = type == BPF_MAP_TYPE_STACK ? n - 1 - i : first + 1 + i;

			wrong += !gives(map->ops->peek, map, 0, &expected);
			wrong += !gives(map->ops->pop, map, 0, &expected);
		}
		wrong += !gives(map->ops->pop, map, -ENOENT, NULL);
		/* So that the ring begins at another place next time. */
		wrong += push(map, n, BPF_ANY) || !gives(map->ops->pop, map, 0, &n);
	}
	say("wrong", wrong);
}

static u32 foreign;
static bool held;

static void *hold_for_a_while(void *arg)
{
	unsigned long flags;

	host_cpu = 1;
	if (!bpf_lock(&foreign, &flags))
		exit(2);
	__atomic_store_n(&held, true, __ATOMIC_RELEASE);
	usleep((useconds_t)(uintptr_t)arg);
	bpf_unlock(&foreign, flags);
	return NULL;
}

static void start_holder(pthread_t *thread, uintptr_t microseconds)
{
	held = false;
	pthread_create(thread, NULL, hold_for_a_while, (void *)microseconds);
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		sched_yield();
}

/* ---- NMIs: a SIGTRAP behind an instruction ---- */

static void waits_for_ever(int signal)
{
	(void)signal;
	say("nmi_waits", 1);
	_exit(0);
}

/* Seconds of this program's own time on a CPU. It needs much less, if no NMI waits for the code that it has interrupted. */
static void limit_time(unsigned seconds)
{
	struct itimerval limit = { .it_value.tv_sec = seconds };

	signal(SIGVTALRM, waits_for_ever);
	setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

static void (*nmi)(void);
static unsigned nmi_at, steps; /* an NMI behind instruction nmi_at of STEP(), */
static unsigned nmi_again, nmis_more, nmis_came; /* and so many more, each so many instructions later */
static bool came;

static void nmi_comes(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	if (steps++ != nmi_at + nmis_came * nmi_again)
		return;
	came = true;
	if (++nmis_came > nmis_more)
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	nmi();
}

#define STEP(statement)                                                                            \
	do {                                                                                       \
		struct sigaction action = { .sa_sigaction = nmi_comes, .sa_flags = SA_SIGINFO };     \
                                                                                                   \
		sigaction(SIGTRAP, &action, NULL);                                                 \
		steps = nmis_came = 0;                                                             \
		came = false;                                                                      \
		set_trap_flag();                                                                   \
		statement;                                                                         \
		clear_trap_flag();                                                                 \
	} while (0)

/* NMIs that want the same lock, behind each instruction while it is taken and freed. */
static u32 stepped;
static volatile unsigned nmis;

static void nmi_in_a_lock(int signal)
{
	unsigned long flags;

	(void)signal;
	nmis++;
	if (bpf_lock(&stepped, &flags))
		bpf_unlock(&stepped, flags);
}

static void nmis_in_a_lock(void)
{
	unsigned long flags;

	signal(SIGTRAP, nmi_in_a_lock);
	limit_time(2);
	set_trap_flag();
	if (bpf_lock(&stepped, &flags))
		bpf_unlock(&stepped, flags);
	clear_trap_flag();
	limit_time(0);
	say("nmis", nmis);
}

static void locks(void)
{
	unsigned long flags, inner;
	u32 own = 0, other = 0;
	pthread_t thread;

	say("locked", bpf_lock(&own, &flags));
	say("interrupts_off", host_irqs_off);
	say("second_try", bpf_lock(&own, &inner)); /* an NMI that wants the same lock */
	say("free_one", bpf_lock(&other, &inner));
	bpf_unlock(&other, inner);
	say("still_off", host_irqs_off);
	start_holder(&thread, 300000);
	say("foreign_one", bpf_lock(&foreign, &inner)); /* of another CPU */
	pthread_join(thread, NULL);
	bpf_unlock(&own, flags);
	say("on_again", !host_irqs_off);
	nmis_in_a_lock();
	start_holder(&thread, 50000);
	say("waited", bpf_lock(&foreign, &flags)); /* holds nothing: it may wait */
	bpf_unlock(&foreign, flags);
	pthread_join(thread, NULL);
}

#define ELEMS 6

static struct bpf_pool *nmi_pool;
static struct bpf_pool_elem *nmi_has;

static void nmi_takes(void)
{
	nmi_has = bpf_pool_take(nmi_pool);
}

/* An NMI takes an element, behind any instruction while one is given back. Returns how often it is still in the pool. */
static u64 taken_and_free(struct bpf_pool *pool)
{
	struct bpf_pool_elem *all[ELEMS];
	u64 both = 0;

	nmi_pool = pool;
	nmi = nmi_takes;
	for (nmi_at = 0, came = true; came; nmi_at++) {
		struct bpf_pool_elem *elem = bpf_pool_take(pool);
		unsigned n = 0;

		nmi_has = NULL;
		STEP(bpf_pool_give(pool, elem));
		while (n < ELEMS && (all[n] = bpf_pool_take(pool)))
			both += all[n++] == nmi_has;
		while (n)
			bpf_pool_give(pool, all[--n]);
		if (nmi_has)
			bpf_pool_give(pool, nmi_has);
	}
	return both;
}

static void pools(void)
{
	struct bpf_pool *pool = &to_htab(new_map(BPF_MAP_TYPE_HASH, 8, ELEMS - 4))->pool;
	struct bpf_pool_elem *taken[ELEMS + 1] = { 0 };
	u64 tops[600], twice = 0, same = 0, n = 0;

	while (n < ELEMS + 1 && (taken[n] = bpf_pool_take(pool)))
		n++;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < i; j++)
			twice += taken[i] == taken[j];
	say("elements", n);
	say("twice", twice);
	for (unsigned i = 0; i < n; i++)
		bpf_pool_give(pool, taken[i]);
	for (unsigned i = 0; n && i < 600; i += 3) {
		tops[i] = pool->top;
		taken[0] = bpf_pool_take(pool);
		tops[i + 1] = pool->top;
		taken[1] = bpf_pool_take(pool);
		bpf_pool_give(pool, taken[0]);
		tops[i + 2] = pool->top;
		bpf_pool_give(pool, taken[1]);
	}
	for (unsigned i = 0; n && i < 600; i++)
		for (unsigned j = 0; j < i; j++)
			same += tops[i] == tops[j];
	say("same", same);
	say("both", n ? taken_and_free(pool) : 0);
	n = 0;
	while (n < ELEMS + 1 && bpf_pool_take(pool))
		n++;
	say("left", n);
}

static void hashes(void)
{
	struct bpf_map *map = new_map(BPF_MAP_TYPE_HASH, 8, 50);
	u64 model[80] = { 0 }, wrong = 0, key, *prev = NULL, seen = 0, used = 0;

	srandom(17);
	for (u64 round = 1; round < 30000; round++) {
		u64 k = (u64)random() % 80, *value = lookup(map, k);

		wrong += model[k] ? !value || *value != model[k] : value != NULL;
		if (random() % 3 == 0) {
			wrong += map->ops->delete (map, &k) != (model[k] ? 0 : -ENOENT);
			model[k] = 0;
		} else if (update(map, k, round) == 0) {
			model[k] = round;
		}
	}
	for (unsigned k = 0; k < 80; k++)
		used += model[k] != 0;
	while (seen <= 80 && map->ops->get_next_key(map, prev, &key) == 0) {
		prev = &key;
		seen++;
	}
	say("wrong", wrong);
	say("walked", seen);
	say("used", used);
}

#define STAYING 8
#define MOVING	8

static struct bpf_map *shared;
static u64 moves, missed;

static void elements_go(void)
{
	for (u64 i = 0; i < MOVING; i++) {
		u64 key = (moves + 1) * 1000 + i;

		shared->ops->delete (shared, &key);
	}
}

static void elements_come(void)
{
	moves++;
	for (u64 i = 0; i < MOVING; i++)
		update(shared, (moves + 1) * 1000 + i, 1);
}

static void elements_move(void)
{
	elements_go();
	elements_come();
}

static void nmi_looks_up(int signal)
{
	(void)signal;
	for (u64 key = 0; key < STAYING; key++)
		missed += !lookup(shared, key);
}

/* Keys that stay, in two lists through which others come and go, behind any instruction of a reader, and of a writer. */
static void readers(void)
{
	void (*const changes[])(void) = { elements_go, elements_move };

	shared = new_map(BPF_MAP_TYPE_HASH, 8, 64);
	to_htab(shared)->mask = 1;
	for (u64 key = 0; key < STAYING; key++)
		update(shared, key, key);
	elements_come();
	limit_time(2);
	for (unsigned i = 0; i < 2 * STAYING; i++) {
		u64 key = i / 2, *found;

		nmi = changes[i % 2];
		for (nmi_at = 0, came = true; came; nmi_at++) {
			elements_move(); /* all are there */
			STEP(found = lookup(shared, key));
			missed += !found;
		}
	}
	nmis_more = 3; /* the reader begins again more than once */
	for (nmi_again = 10; nmi_again < 100; nmi_again += 6)
		for (nmi_at = 0, came = true; came; nmi_at += 3) {
			u64 *found;

			elements_move();
			STEP(found = lookup(shared, 0));
			missed += !found;
		}
	nmis_more = 0;
	elements_move();
	signal(SIGTRAP, nmi_looks_up);
	set_trap_flag();
	elements_move();
	clear_trap_flag();
	say("missed", missed);
}

/* How often a search finds an element in a map in which all keys were deleted. */
static void clock_of_an_empty_map(void)
{
	struct bpf_map *map = new_map(BPF_MAP_TYPE_LRU_HASH, 8, 20);

	for (u64 key = 0; key < 10; key++)
		update(map, key, key);
	for (u64 key = 0; key < 10; key++)
		map->ops->delete (map, &key);
	limit_time(2);
	say("found_in_an_empty_map", bpf_htab_evict(to_htab(map)));
	limit_time(0);
}

/* Of 2000 keys a program uses each one, so the hand finds no other. */
static void clock_of_a_map_in_use(void)
{
	struct bpf_map *map = new_map(BPF_MAP_TYPE_LRU_HASH, 8, 2000);
	u64 refused = 0;

	for (u64 key = 0; key < 2000; key++)
		update(map, key, key);
	for (u64 round = 0; round < 3; round++) {
		for (u64 key = 0; key < 2000; key++)
			lookup(map, key);
		refused += update(map, 5000 + round, 1) != 0;
	}
	say("refused_in_use", refused);
}

static void clocks(void)
{
	struct bpf_map *map = new_map(BPF_MAP_TYPE_LRU_HASH, 8, 100);
	u64 refused = 0, lost = 0, there = 0, stale = 0;

	clock_of_an_empty_map();
	clock_of_a_map_in_use();
	for (u64 key = 0; key < 100; key++)
		refused += update(map, key, key) != 0;
	say("refused_at_first", refused);
	refused = 0;
	for (u64 key = 0; key < 40; key++)
		lookup(map, key);
	for (u64 key = 1000; key < 1300; key++) {
		refused += update(map, key, key) != 0;
		for (u64 used = 0; used < 20; used++) /* a program needs these all the time */
			lost += !lookup(map, used);
	}
	for (u64 key = 20; key < 40; key++) /* used once, long ago */
		stale += lookup(map, key) != NULL;
	for (u64 key = 0; key < 1300; key++)
		there += lookup(map, key) != NULL;
	say("refused", refused);
	say("lost", lost);
	say("stale", stale);
	say("there", there);
	say("counted", (u64)atomic_read(&to_htab(map)->count));
}

int main(int argc, char **argv)
{
	const char *step = argc > 1 ? argv[1] : "";

	if (!strcmp(step, "queue"))
		queues(BPF_MAP_TYPE_QUEUE);
	else if (!strcmp(step, "stack"))
		queues(BPF_MAP_TYPE_STACK);
	else if (!strcmp(step, "lock"))
		locks();
	else if (!strcmp(step, "pool"))
		pools();
	else if (!strcmp(step, "hash"))
		hashes();
	else if (!strcmp(step, "reader"))
		readers();
	else
		clocks();
	fflush(stdout);
	_exit(0); /* the maps are not freed: no leak of the student's */
}
