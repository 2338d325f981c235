/*
 * Lock checking in a DEBUG build: order, recursion, use in interrupts, unlock by a CPU or a task
 * that does not hold the lock.
 *
 * All locks that one place in the source initialises form a class. Each task records the locks it
 * holds; an interrupt adds its own locks on top and removes them again. When a task waits for a
 * lock of class B and holds one of class A, the edge A -> B enters a graph of classes. An edge that
 * closes a cycle is a possible deadlock. The checker reports it the first time, even if no deadlock
 * happens. It also reports a class that a hardirq (softirq) takes and that other code takes with
 * hardirqs (softirqs) enabled.
 *
 * The checker does not order two locks of one class, nor locks with a class on a stack.
 * Run-queue locks do not use the checker (kernel/sched/runqueue.h). The first report turns the
 * checker off, because later reports could be mere consequences of the first fault.
 */
#include "kernel/locking/held_locks.h"

#include "arch/unwind/stacktrace.h"
#include "kernel/bug.h"
#include "kernel/current.h"
#include "kernel/printk/printk.h"
#include "kernel/smp.h"

#define MAX_LOCK_CLASSES 512

enum lock_usage {
	USED_IN_HARDIRQ = 1,
	USED_IN_SOFTIRQ = 2,
	USED_HARDIRQS_ON = 4,
	USED_SOFTIRQS_ON = 8,
};

extern char _sdata[], _end[];

bool debug_locks = true;
bool debug_locks_silent;

/* Protects what follows. Taken raw. Bits of edges are read without it. */
static spinlock_t graph_lock;
static struct lock_class *classes[MAX_LOCK_CLASSES]; /* by id, from 1 */
static unsigned nr_classes = 1;
static unsigned long edges[MAX_LOCK_CLASSES][MAX_LOCK_CLASSES / 64];
static u8 usage[MAX_LOCK_CLASSES]; /* [A] without graph_lock */
/* The search: the class from which it reached a class, and the classes still to visit. */
static u16 came_from[MAX_LOCK_CLASSES], queue[MAX_LOCK_CLASSES];

/* Turns interrupts off: their handlers take locks too, and so may come here. Not in an NMI. */
static unsigned long lock_graph(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	raw_ticket_lock(&graph_lock);
	return flags;
}

static void unlock_graph(unsigned long flags)
{
	raw_ticket_unlock(&graph_lock);
	raw_local_irq_restore(flags);
}

/* Turns the checker off. True for the one caller that may report. */
static bool debug_locks_off(void)
{
	return xchg(&debug_locks, false) && !debug_locks_silent;
}

/* The id of a class; a class without one gets it now. 0: the class is not ordered. */
static unsigned class_id(struct lock_class *class)
{
	unsigned long flags;

	if (!class || (char *)class < _sdata || (char *)class >= _end)
		return 0;
	if (likely(READ_ONCE(class->id)))
		return class->id;
	flags = lock_graph();
	if (!class->id && nr_classes < MAX_LOCK_CLASSES) {
		classes[nr_classes] = class;
		class->id = (u16)nr_classes++;
	}
	unlock_graph(flags);
	return class->id;
}

/*
 * True if the edges lead from one class to another. came_from then holds the way back. graph_lock
 * held.
 */
static bool path_exists(unsigned from, unsigned to)
{
	unsigned head = 0, tail = 0;

	for (unsigned i = 0; i < nr_classes; i++)
		came_from[i] = 0;
	came_from[from] = (u16)from;
	queue[tail++] = (u16)from;
	while (head < tail) {
		unsigned at = queue[head++];

		if (at == to)
			return true;
		for (unsigned next = 1; next < nr_classes; next++) {
			if (!test_bit(next, edges[at]) || came_from[next])
				continue;
			came_from[next] = (u16)at;
			queue[tail++] = (u16)next;
		}
	}
	return false;
}

static void print_task(const char *what)
{
	printk(KERN_ERR "%s: %s/%d on CPU#%u\n", what, current_comm(), current_pid(),
	       smp_processor_id());
}

/* The checker is off, so the search stays as it is. */
static void report_cycle(const struct held_lock *held, unsigned new)
{
	printk(KERN_ERR "WARNING: possible circular locking dependency detected\n");
	print_task("task");
	printk(KERN_ERR "is trying to acquire lock (%s)\n", classes[new]->name);
	printk(KERN_ERR "but is already holding lock (%s), taken at %pS\n", held->class->name,
	       held->ip);
	printk(KERN_ERR "and these have been taken each while holding the next:\n");
	for (unsigned at = held->class->id; at != new; at = came_from[at])
		printk(KERN_ERR "  (%s)\n", classes[at]->name);
	printk(KERN_ERR "  (%s)\n", classes[new]->name);
	dump_stack();
}

/* A task that holds the lock held is about to wait for a lock of the class new. */
static void add_edge(const struct held_lock *held, unsigned new)
{
	unsigned old = class_id(held->class);
	unsigned long flags;
	bool report = false;

	if (!old || old == new || test_bit(new, edges[old]))
		return;
	flags = lock_graph();
	if (READ_ONCE(debug_locks) && !test_bit(new, edges[old])) {
		if (path_exists(new, old))
			report = debug_locks_off();
		else
			set_bit(new, edges[old]);
	}
	unlock_graph(flags);
	if (report)
		report_cycle(held, new);
}

static void check_usage(unsigned id)
{
	u8 now = 0, all;

	if (in_nmi())
		return;
	if (in_hardirq())
		now |= USED_IN_HARDIRQ;
	else if (!irqs_disabled())
		now |= USED_HARDIRQS_ON;
	if (in_serving_softirq() && !in_hardirq())
		now |= USED_IN_SOFTIRQ;
	else if (!in_interrupt() && !irqs_disabled())
		now |= USED_SOFTIRQS_ON;
	if ((usage[id] & now) == now)
		return;
	all = __atomic_or_fetch(&usage[id], now, __ATOMIC_SEQ_CST);
	if (((all & USED_IN_HARDIRQ) && (all & USED_HARDIRQS_ON)) ||
	    ((all & USED_IN_SOFTIRQ) && (all & USED_SOFTIRQS_ON))) {
		if (!debug_locks_off())
			return;
		printk(KERN_ERR "WARNING: inconsistent lock state: (%s) is taken in %s context "
				"and with those enabled\n",
		       classes[id]->name,
		       all & USED_IN_HARDIRQ && all & USED_HARDIRQS_ON ? "hardirq" : "softirq");
		print_task("task");
		dump_stack();
	}
}

static void check_order(unsigned id)
{
	const struct held_locks *held = current_held_locks();

	if (!id)
		return;
	for (unsigned i = 0; i < held->depth && i < MAX_HELD_LOCKS; i++)
		add_edge(&held->locks[i], id);
}

static void push_held(const void *lock, struct lock_class *class, const void *ip)
{
	struct held_locks *held = current_held_locks();

	if (held->depth < MAX_HELD_LOCKS)
		held->locks[held->depth] =
			(struct held_lock){ .lock = lock, .class = class, .ip = ip };
	held->depth++;
}

static void pop_held(const void *lock)
{
	struct held_locks *held = current_held_locks();
	unsigned n = min(held->depth, (unsigned)MAX_HELD_LOCKS), i = n;

	while (i && held->locks[i - 1].lock != lock)
		i--;
	if (!held->depth)
		return;
	for (; i && i < n; i++)
		held->locks[i - 1] = held->locks[i];
	held->depth--;
}

void lockdep_report(const char *what, const void *lock, const struct lock_class *class)
{
	if (!debug_locks_off())
		return;
	printk(KERN_ERR "BUG: %s: lock (%s) at %p\n", what, class ? class->name : "?", lock);
	print_task("task");
	dump_stack();
}

void spin_lock_debug_acquire(spinlock_t *lock)
{
	unsigned long flags;
	unsigned id;

	if (!READ_ONCE(debug_locks) || in_nmi())
		return;
	if (!lock->class)
		lockdep_report("spinlock not initialised", lock, NULL);
	if (spin_is_locked(lock) && READ_ONCE(lock->holder_cpu) == (int)smp_processor_id())
		lockdep_report("spinlock recursion", lock, lock->class);
	id = class_id(lock->class);
	if (id)
		check_usage(id);
	raw_local_irq_save(flags);
	check_order(id);
	raw_local_irq_restore(flags);
}

void spin_lock_debug_acquired(spinlock_t *lock)
{
	unsigned long flags;

	WRITE_ONCE(lock->holder_cpu, (int)smp_processor_id());
	lock->holder_ip = _RET_IP_;
	if (in_nmi())
		return;
	raw_local_irq_save(flags);
	push_held(lock, lock->class, _RET_IP_);
	raw_local_irq_restore(flags);
}

void spin_lock_debug_release(spinlock_t *lock)
{
	unsigned long flags;

	if (READ_ONCE(debug_locks) && !in_nmi()) {
		if (!spin_is_locked(lock))
			lockdep_report("spinlock already unlocked", lock, lock->class);
		else if (lock->holder_cpu != (int)smp_processor_id())
			lockdep_report("spinlock released by another CPU than its holder", lock,
				       lock->class);
	}
	WRITE_ONCE(lock->holder_cpu, -1);
	if (in_nmi())
		return;
	raw_local_irq_save(flags);
	pop_held(lock);
	raw_local_irq_restore(flags);
}

void sleeping_lock_acquire(struct lock_class *class)
{
	unsigned long flags;

	if (!READ_ONCE(debug_locks))
		return;
	raw_local_irq_save(flags);
	check_order(class_id(class));
	raw_local_irq_restore(flags);
}

void sleeping_lock_acquired(const void *lock, struct lock_class *class, const void *ip)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	push_held(lock, class, ip);
	raw_local_irq_restore(flags);
}

void sleeping_lock_release(const void *lock)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	pop_held(lock);
	raw_local_irq_restore(flags);
}
