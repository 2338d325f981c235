/*
 * A grace period of RCU-tasks, on a model of the other tasks and CPUs.
 * sources: kernel/rcu/tasks.c
 *
 * lab06_tasks MODE says what is wrong in one sentence, and ends with status 1; labs/tests/lab06.py names the rules. Each task
 * of the model is in the trampoline that is to be freed. It does something each time the grace period waits.
 *
 * CONFIG_DEBUG is set, so that each lock tells the model when it is taken and released.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/unwind/stacktrace.h"
#include "kernel/rcu/callbacks.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/user_work.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"

#define PATIENCE 200 /* times that a grace period may wait */

enum kind { CALLER, SLEEPER, PREEMPTED, PROGRAM, FALLS_ASLEEP, EXITS, KINDS };
static const char *const does[KINDS] = {
	"calls synchronize_rcu_tasks()", "sleeps", "is preempted in the trampoline", "computes in its program without system calls",
	"falls asleep without looking at its flag", "exits",
};

static struct task_struct tasks[KINDS];
static bool inside[KINDS]; /* the task may execute the trampoline */
static bool visible[KINDS]; /* other CPUs see the flag of the task */
static bool kicked, freed, exiting;
static unsigned waits, barriers, switches;
static const char *mode;
static const spinlock_t *holdouts_lock;
static struct list_head released[KINDS]; /* rcu_tasks_node of each task when holdouts_lock was released */

LIST_HEAD(task_list);
spinlock_t tasklist_lock;
struct task_struct *current_task = &tasks[CALLER];
u32 __preempt_count;
bool host_irqs_off;

static void broken(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	puts("");
	exit(1);
}

static bool is_mode(const char *name)
{
	return !strcmp(mode, name);
}

static bool flagged(enum kind kind)
{
	return tasks[kind].rcu_tasks_holdout;
}

static void quiescent_point(enum kind kind)
{
	inside[kind] = false;
	tasks[kind].rcu_tasks_holdout = false;
}

static void fall_asleep(enum kind kind)
{
	inside[kind] = false;
	tasks[kind].on_rq = false;
	tasks[kind].on_cpu = false;
}

/* What all tasks do while the grace period waits. */
static void time_passes(void)
{
	waits++;
	if (flagged(CALLER) && is_mode("holdouts"))
		broken("a flag in the task that %s: this task is in find_holdouts(), not in the trampoline", does[CALLER]);
	quiescent_point(CALLER);
	if (waits == 3 && flagged(PREEMPTED)) /* else it stays there for an hour */
		quiescent_point(PREEMPTED);
	if (kicked)
		quiescent_point(PROGRAM);
	if (waits == 5)
		fall_asleep(FALLS_ASLEEP);
	if (waits == 7) {
		fall_asleep(EXITS);
		exiting = true;
		put_task_struct(&tasks[EXITS]); /* its own reference */
		exiting = false;
	}
	if (waits == 20 && !is_mode("holdouts")) /* a solution that waits for a sleeper loses that mode only */
		for (unsigned kind = 0; kind < KINDS; kind++)
			if (kind != PROGRAM)
				quiescent_point(kind);
	for (unsigned kind = 0; kind < KINDS && waits > PATIENCE; kind++) {
		if (kind == PROGRAM && flagged(kind) && is_mode("kick"))
			broken("a grace period that waits for ever for a task that %s: nothing brings it into the kernel after its flag is set",
			       does[kind]);
		if (flagged(kind) && kind != PROGRAM)
			broken("a grace period that waits for ever for a task that %s", does[kind]);
	}
	if (waits > PATIENCE)
		broken("a grace period that never ends");
}

/* ---- what tasks.c calls ---- */

void on_each_cpu(void (*func)(void *info), void *info, bool wait)
{
	func(info);
	if (!wait && is_mode("steps"))
		broken("a barrier that does not wait for the answers of the CPUs");
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (flagged(kind) && is_mode("steps"))
			broken("a flag that is set before the barrier: a task can clear it, and enter the trampoline afterwards");
	barriers++;
}

void model_fence(int order)
{
	for (unsigned kind = 0; kind < KINDS && order == __ATOMIC_SEQ_CST; kind++)
		visible[kind] = flagged(kind);
}

/* A CPU in user mode comes into the kernel, and looks at the flag on its way back. */
void kick_process(struct task_struct *p)
{
	if (p != &tasks[PROGRAM] || !flagged(PROGRAM))
		return;
	if (!visible[PROGRAM] && is_mode("kick"))
		broken("a kick without smp_mb() behind the store to the flag: the CPU of a task that %s may not see the flag yet, and goes back to the program",
		       does[PROGRAM]);
	kicked = true;
}

void spin_lock_debug_acquire(spinlock_t *lock) { (void)lock; }

void spin_lock_debug_acquired(spinlock_t *lock)
{
	for (unsigned kind = 0; kind < KINDS && lock == holdouts_lock && is_mode("references"); kind++)
		if (memcmp(&released[kind], &tasks[kind].rcu_tasks_node, sizeof(released[kind])))
			broken("a list of holdouts that changes while holdouts_lock is free: a reader of the list follows a pointer to a task that may be freed");
}

void spin_lock_debug_release(spinlock_t *lock)
{
	if (!holdouts_lock)
		holdouts_lock = lock; /* main() takes no other lock before */
	for (unsigned kind = 0; kind < KINDS && lock == holdouts_lock; kind++)
		released[kind] = tasks[kind].rcu_tasks_node;
}

void yield(void)
{
	time_passes();
}

u64 schedule_timeout(u64 ns)
{
	(void)ns;
	time_passes();
	return 0;
}

void synchronize_rcu(void)
{
	synchronize_sched();
}

void synchronize_sched(void)
{
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (inside[kind] && is_mode("steps"))
			broken("a switch of all CPUs while a task that %s has not left the trampoline: this step must be the last one", does[kind]);
	switches++;
}

void put_task_struct(struct task_struct *p)
{
	if (__atomic_sub_fetch(&p->usage.counter, 1, __ATOMIC_SEQ_CST))
		return;
	if (p != &tasks[EXITS] && is_mode("references"))
		broken("a reference of a task that is dropped, but was not taken");
	freed = true;
	if (p->rcu_tasks_holdout && exiting && is_mode("references"))
		broken("a task that is freed by its exit while it is a holdout: the list of holdouts has no reference to it");
	if (p->rcu_tasks_node.prev && p->rcu_tasks_node.prev->next == &p->rcu_tasks_node && is_mode("references"))
		broken("the last reference to a task that is dropped before the task has left the list of holdouts");
}

void rcu_wait_for_callback(struct rcu_callbacks *rcu) { (void)rcu; }
void rcu_queue_callback(struct rcu_callbacks *rcu, struct rcu_head *head, void (*func)(struct rcu_head *head)) { (void)rcu, (void)head, (void)func; }
void rcu_read_stats(struct rcu_callbacks *rcu, struct rcu_callback_stats *stats) { (void)rcu, (void)stats; }
void rcu_start_kthread(struct rcu_callbacks *rcu) { (void)rcu; }
int kstrtouint(const char *s, unsigned base, unsigned *result) { (void)s, (void)base, (void)result; return 0; }
void mutex_lock(struct mutex *m) { (void)m; }
void mutex_unlock(struct mutex *m) { (void)m; }
void preempt_schedule(void) {}
void show_stack_task(struct task_struct *task) { (void)task; }
void smp_backtrace_cpu(unsigned cpu) { (void)cpu; }
char task_state_to_char(const struct task_struct *p) { (void)p; return 'R'; }
void ticket_lock_kick(const spinlock_t *lock, u16 ticket) { (void)lock, (void)ticket; }
void spin_lock_wait(spinlock_t *lock, u16 ticket) { (void)lock, (void)ticket; broken("a lock that is taken twice"); }
void ticket_lock_wait(spinlock_t *lock, u16 ticket) { (void)lock, (void)ticket; broken("a lock that is taken twice"); }

/* ---- the modes ---- */

static void count_holdout(void *data, const struct task_struct *task)
{
	(void)task;
	++*(unsigned *)data;
}

static void check_end(void)
{
	unsigned left = 0;

	if (is_mode("steps") && (barriers != 1 || switches != 1))
		broken("%u barriers and %u switches of all CPUs in a grace period", barriers, switches);
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (inside[kind] && (kind == PROGRAM) == is_mode("kick"))
			broken("the end of the grace period while a task that %s may still be in the trampoline", does[kind]);
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (flagged(kind) && is_mode("holdouts"))
			broken("a flag that is still set after the grace period, in a task that %s", does[kind]);
	rcu_tasks_for_each_holdout(count_holdout, &left);
	if (left && is_mode("references"))
		broken("%u tasks in the list of holdouts after the grace period", left);
	for (unsigned kind = 0; kind < KINDS && is_mode("references"); kind++)
		if (tasks[kind].usage.counter != (kind != EXITS))
			broken("%d references to a task that %s, after the grace period", tasks[kind].usage.counter, does[kind]);
	if (is_mode("references") && !freed)
		broken("a task that has exited and is never freed");
}

int main(int argc, char **argv)
{
	mode = argc > 1 ? argv[1] : "";
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct task_struct *p = &tasks[kind];

		p->usage.counter = 1;
		p->on_rq = kind != SLEEPER;
		p->on_cpu = kind == CALLER || kind == PROGRAM || kind == EXITS;
		inside[kind] = kind != SLEEPER && kind != CALLER;
		list_add_tail(&p->tasks, &task_list);
	}
	tasks[PREEMPTED].__state = TASK_INTERRUPTIBLE; /* on its way to schedule() */
	if (is_mode("holdouts") || is_mode("steps") || is_mode("references")) /* mode "kick" has this task */
		fall_asleep(PROGRAM);
	rcu_tasks_for_each_holdout(count_holdout, &(unsigned){ 0 });
	synchronize_rcu_tasks();
	check_end();
	return 0;
}
