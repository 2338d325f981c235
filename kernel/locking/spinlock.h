/*
 * Spinlocks: fair (ticket locks), for short critical sections in any context but NMI. A CPU that
 * waits for a long time under a hypervisor halts until its turn: kernel/locking/spin_wait.c.
 *
 * spin_lock() turns preemption off. If an interrupt handler or a softirq takes the same lock, tasks
 * must use the _irqsave or _irq form. A holder never sleeps. docs/locking.md has the order between
 * locks, and a DEBUG build checks it (kernel/locking/lockdep.c).
 */
#pragma once

#include "arch/cpu/irqflags.h"
#include "arch/cpu/processor.h"
#include "kernel/preempt.h"

/* A class of locks for the checker: all locks that one place in the source initialises. */
struct lock_class {
	const char *name;
	u16 id; /* assigned at the first use; 0 before */
};

typedef struct spinlock {
	union {
		u32 value;
		struct {
			u16 owner; /* the ticket served now, and SPIN_WAITER_HALTS */
			u16 next;  /* the ticket of the next CPU that takes the lock */
		};
	};
#ifdef CONFIG_DEBUG
	struct lock_class *class;
	int holder_cpu; /* -1 when free */
	const void *holder_ip;
#endif
} spinlock_t;

#ifdef CONFIG_DEBUG
#define __SPINLOCK_INIT(lock_name)                                                                 \
	{                                                                                          \
		{ 0 }, &(struct lock_class){ .name = #lock_name }, -1, NULL                        \
	}
void spin_lock_debug_acquire(
	spinlock_t *lock); /* before the wait: checks order, recursion, context */
void spin_lock_debug_acquired(spinlock_t *lock);
void spin_lock_debug_release(spinlock_t *lock);
#define spin_lock_init(lock)                                                                       \
	do {                                                                                       \
		static struct lock_class __class = { .name = #lock };                              \
		*(lock) = (spinlock_t){ { 0 }, &__class, -1, NULL };                               \
	} while (0)
#else
#define __SPINLOCK_INIT(lock_name)                                                                 \
	{                                                                                          \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
static __always_inline void spin_lock_debug_acquire(spinlock_t *lock)
{
	(void)lock;
}
static __always_inline void spin_lock_debug_acquired(spinlock_t *lock)
{
	(void)lock;
}
static __always_inline void spin_lock_debug_release(spinlock_t *lock)
{
	(void)lock;
}
#define spin_lock_init(lock) (*(lock) = (spinlock_t)__SPINLOCK_INIT(lock))
#endif

#define DEFINE_SPINLOCK(x) spinlock_t x = __SPINLOCK_INIT(x)

#define SPIN_WAITER_HALTS 1U /* in owner: a waiter has halted and needs an NMI */
#define SPIN_TICKET       2U /* from one ticket to the next */

/* kernel/locking/spin_wait.c */
void ticket_lock_wait(spinlock_t *lock, u16 ticket);
void spin_lock_wait(spinlock_t *lock, u16 ticket);
void ticket_lock_kick(const spinlock_t *lock, u16 ticket);

/* Takes a ticket, and calls wait() if that is not served yet. */
static __always_inline void take_ticket(spinlock_t *lock,
					void (*wait)(spinlock_t *lock, u16 ticket))
{
	u16 ticket = __atomic_fetch_add(&lock->next, SPIN_TICKET, __ATOMIC_ACQUIRE);

	if (unlikely((__atomic_load_n(&lock->owner, __ATOMIC_ACQUIRE) ^ ticket) &
		     ~SPIN_WAITER_HALTS))
		wait(lock, ticket);
}

/*
 * The bare lock, without lockdep, and without events of its waits: tracing uses it, too. The caller
 * turns preemption or interrupts off.
 */
static __always_inline void raw_ticket_lock(spinlock_t *lock)
{
	take_ticket(lock, ticket_lock_wait);
}

static __always_inline bool raw_ticket_trylock(spinlock_t *lock)
{
	u32 old = READ_ONCE(lock->value);

	if ((old >> 16) != (old & 0xffff & ~SPIN_WAITER_HALTS))
		return false;
	return __atomic_compare_exchange_n(&lock->value, &old, old + (SPIN_TICKET << 16), false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Another CPU may free the lock as soon as owner has changed: the kick uses only its address. */
static __always_inline void raw_ticket_unlock(spinlock_t *lock)
{
	u16 old = __atomic_fetch_add(&lock->owner, SPIN_TICKET, __ATOMIC_SEQ_CST);

	if (unlikely(old & SPIN_WAITER_HALTS))
		ticket_lock_kick(lock, (u16)((old & ~SPIN_WAITER_HALTS) + SPIN_TICKET));
}

static __always_inline bool spin_is_locked(const spinlock_t *lock)
{
	u32 v = READ_ONCE(lock->value);

	return (v >> 16) != (v & 0xffff & ~SPIN_WAITER_HALTS);
}

static __always_inline void spin_lock(spinlock_t *lock)
{
	preempt_disable();
	spin_lock_debug_acquire(lock);
	take_ticket(lock, spin_lock_wait);
	spin_lock_debug_acquired(lock);
}

/* The same out of line: kernel/locking/spinlock.c. */
void _raw_spin_lock(spinlock_t *lock);
void _raw_spin_unlock(spinlock_t *lock);

/* True if the lock was free; the caller holds it now. */
static __always_inline bool spin_trylock(spinlock_t *lock)
{
	preempt_disable();
	if (raw_ticket_trylock(lock)) {
		spin_lock_debug_acquired(lock);
		return true;
	}
	preempt_enable();
	return false;
}

static __always_inline void __spin_unlock(spinlock_t *lock)
{
	spin_lock_debug_release(lock);
	raw_ticket_unlock(lock);
}

static __always_inline void spin_unlock(spinlock_t *lock)
{
	__spin_unlock(lock);
	preempt_enable();
}

#define spin_lock_irqsave(lock, flags)                                                             \
	do {                                                                                       \
		local_irq_save(flags);                                                             \
		spin_lock(lock);                                                                   \
	} while (0)

/* Enables interrupts before preemption, so that a pending reschedule happens here. */
#define spin_unlock_irqrestore(lock, flags)                                                        \
	do {                                                                                       \
		__spin_unlock(lock);                                                               \
		local_irq_restore(flags);                                                          \
		preempt_enable();                                                                  \
	} while (0)

static __always_inline void spin_lock_irq(spinlock_t *lock)
{
	local_irq_disable();
	spin_lock(lock);
}

static __always_inline void spin_unlock_irq(spinlock_t *lock)
{
	__spin_unlock(lock);
	local_irq_enable();
	preempt_enable();
}

#define lockdep_assert_held(lock) DEBUG_BUG_ON(!spin_is_locked(lock))
