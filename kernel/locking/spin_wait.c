/*
 * Waiting for a ticket lock.
 *
 * On a real machine a waiting CPU just spins. Under a hypervisor that has fewer CPUs than the
 * guest, that is a trap: the lock goes to the next ticket, whose CPU may not be running, while
 * others spin the time away that it needs; each hand-over then costs a time slice of the host. So a
 * CPU that has spun for a while halts, and the hypervisor runs another. The order of the tickets
 * stays as it is.
 *
 *	waiter				holder
 *	note (lock, ticket) for kicks
 *	set SPIN_WAITER_HALTS in owner	add a ticket to owner, get its old value
 *	served? no: halt		SPIN_WAITER_HALTS in it: NMI the CPU that noted (lock, new
 *		owner)
 *
 * Both change owner in one atomic operation: either the holder sees the bit, or the waiter the new
 * owner. It is an NMI because a CPU that waits with interrupts off wakes up from nothing else.
 */
#include "arch/ipi.h"
#include "arch/spin_wait.h"
#include "kernel/locking/spinlock.h"

#define SPINS_BEFORE_HALT 4096

/* [O] written by its CPU, in any context: an interrupt puts back what it found. Read by kickers. */
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
	 * A kicker that reads half of this sends one NMI too many; the bit is set when all of it
	 * stands.
	 */
	WRITE_ONCE(waiter->lock, lock);
	WRITE_ONCE(waiter->ticket, ticket);
	__atomic_fetch_or(&lock->owner, SPIN_WAITER_HALTS, __ATOMIC_SEQ_CST);
	spin_wait_halt(&lock->owner, ticket);
	/*
	 * Back to the wait that this one interrupted. It looks at its lock again before it halts
	 * again.
	 */
	WRITE_ONCE(waiter->ticket, outer.ticket);
	WRITE_ONCE(waiter->lock, outer.lock);
}

/*
 * Served, and nobody waits behind: the bit goes, so that the next unlock need not look for waiters.
 */
static void forget_halted(spinlock_t *lock, u16 ticket)
{
	u32 alone = (u32)(u16)(ticket + SPIN_TICKET) << 16 | ticket;

	if (READ_ONCE(lock->value) == (alone | SPIN_WAITER_HALTS))
		cmpxchg(&lock->value, alone | SPIN_WAITER_HALTS, alone);
}

/* Preemption is off, whatever the interrupts. */
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

/* ticket is served now; wake the CPU that holds it if it is halted. Any context. */
void ticket_lock_kick(const spinlock_t *lock, u16 ticket)
{
	unsigned cpu;

	for_each_online_cpu (cpu) {
		const struct spin_waiter *waiter = per_cpu_ptr(&spin_waiter, cpu);

		if (READ_ONCE(waiter->lock) == lock && READ_ONCE(waiter->ticket) == ticket) {
			arch_send_nmi(cpu);
			return;
		}
	}
}
