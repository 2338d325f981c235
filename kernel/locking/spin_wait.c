/*
 * Waiting for a ticket lock.
 *
 * On a real machine a waiting CPU spins. That is slow under a hypervisor that has fewer CPUs than
 * the guest. The lock goes to the CPU with the next ticket, and the hypervisor may not run that CPU
 * now. Meanwhile the other CPUs spin and use up the time of the host. Each hand-over then costs a
 * time slice of the host. So a CPU that has spun for a while halts, and the hypervisor runs another
 * CPU. The order of the tickets does not change.
 *
 *	waiter				holder
 *	record (lock, ticket)
 *	set SPIN_WAITER_HALTS in owner	add a ticket to owner, read the old value
 *	not served: halt		old value has SPIN_WAITER_HALTS: send an NMI to the CPU that
 *					has recorded (lock, new owner)
 *
 * Both change owner in one atomic operation. So either the holder sees the bit, or the waiter sees
 * the new owner. The holder sends an NMI because nothing else ends the halt of a CPU that waits
 * with interrupts off.
 */
#include "arch/cpu/halt.h"
#include "arch/irq/ipi.h"
#include "kernel/locking/lock_events.h"
#include "kernel/locking/spinlock.h"

#define SPINS_BEFORE_HALT 4096

/* [O] written by its CPU, in any context: an interrupt restores the old values. Read by holders. */
struct spin_waiter {
	const spinlock_t *lock;
	u16 ticket;
};

static DEFINE_PER_CPU(struct spin_waiter, spin_waiter);

static bool served(const spinlock_t *lock, u16 ticket)
{
	return !((__atomic_load_n(&lock->owner, __ATOMIC_ACQUIRE) ^ ticket) & ~SPIN_WAITER_HALTS);
}

static void wait_halted(spinlock_t *lock, u16 ticket)
{
	struct spin_waiter *waiter = this_cpu_ptr(&spin_waiter), outer = *waiter;

	/*
	 * A holder that reads this half written may send a needless NMI. It cannot miss the waiter:
	 * the bit is set after both values, and the holder does not stop at the first match.
	 */
	WRITE_ONCE(waiter->lock, lock);
	WRITE_ONCE(waiter->ticket, ticket);
	__atomic_fetch_or(&lock->owner, SPIN_WAITER_HALTS, __ATOMIC_SEQ_CST);
	spin_wait_halt(&lock->owner, ticket);
	/*
	 * Restore the record of the wait that this one has interrupted. That wait looks at its lock
	 * before it halts again.
	 */
	WRITE_ONCE(waiter->ticket, outer.ticket);
	WRITE_ONCE(waiter->lock, outer.lock);
}

/* Clears the bit if no other CPU waits, so that the next unlock need not look for waiters. */
static void forget_halted(spinlock_t *lock, u16 ticket)
{
	u32 alone = (u32)(u16)(ticket + SPIN_TICKET) << 16 | ticket;

	if (READ_ONCE(lock->value) == (alone | SPIN_WAITER_HALTS))
		cmpxchg(&lock->value, alone | SPIN_WAITER_HALTS, alone);
}

/* Preemption off; interrupts on or off. */
void ticket_lock_wait(spinlock_t *lock, u16 ticket)
{
	unsigned spins = 0;

	while (!served(lock, ticket)) {
		cpu_relax();
		if (++spins >= SPINS_BEFORE_HALT && cpu_is_virtual) {
			wait_halted(lock, ticket);
			spins = 0;
		}
	}
	forget_halted(lock, ticket);
}

/* The same with the events of a wait. */
void spin_lock_wait(spinlock_t *lock, u16 ticket)
{
	trace_contention_begin(lock, LCB_F_SPIN);
	ticket_lock_wait(lock, ticket);
	trace_contention_end(lock, 0);
}

/* Wakes the CPU that waits with this ticket if it has halted. ticket is served now. Any context. */
void ticket_lock_kick(const spinlock_t *lock, u16 ticket)
{
	unsigned cpu;

	for_each_online_cpu (cpu) {
		const struct spin_waiter *waiter = per_cpu_ptr(&spin_waiter, cpu);

		if (READ_ONCE(waiter->lock) == lock && READ_ONCE(waiter->ticket) == ticket)
			arch_send_nmi(cpu);
	}
}
