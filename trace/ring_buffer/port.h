/*
 * Everything that the ring buffer needs from the kernel. port_host.h, which lies in
 * tests/host/stubs/, provides the same for the host, so that the same source also runs there, under
 * sanitizers.
 */
#pragma once

#ifdef NOP5_HOST
#include "trace/ring_buffer/port_host.h"
#else
#include "kernel/irq/irq_work.h"
#include "kernel/lib/string.h"
#include "kernel/sched/mutex.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/user_page.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/sched/wait.h"
#include "kernel/smp.h"
#include "arch/time/clock.h"
#include "kernel/time/trace_clock.h"

/*
 * The reader lock. rb_reads counts the reader locks that a CPU holds or waits for: while it is not
 * zero, an NMI handler or a tracer callback on that CPU must not wait for one. rb_unlocked() comes
 * last, so that a pending task switch happens with interrupts on.
 */
typedef spinlock_t rb_lock_t;
DECLARE_PER_CPU(u32, rb_reads);
#define rb_lock_init(l)         spin_lock_init(l)
#define rb_unlock(l)            __spin_unlock(l)
#define rb_this_cpu_reads()     this_cpu_read(rb_reads)
#define rb_this_cpu_reads_inc() this_cpu_inc(rb_reads)
#define rb_this_cpu_reads_dec() this_cpu_dec(rb_reads)
#define rb_irqs_disabled()      irqs_disabled()
#define rb_irq_restore(flags)   raw_local_irq_restore(flags)
#define rb_ktime()              arch_ktime()

/* Neither the lock nor rb_unlocked() is reported as a change of preemption. */
static __always_inline void rb_lock(rb_lock_t *lock)
{
	preempt_disable_notrace();
	spin_lock_debug_acquire(lock);
	raw_ticket_lock(lock);
	spin_lock_debug_acquired(lock);
}

static __always_inline bool rb_trylock(rb_lock_t *lock)
{
	preempt_disable_notrace();
	if (raw_ticket_trylock(lock)) {
		spin_lock_debug_acquired(lock);
		return true;
	}
	preempt_enable_notrace();
	return false;
}

static inline unsigned long rb_irq_save(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	return flags;
}

static inline void rb_unlocked(unsigned long flags)
{
	raw_local_irq_restore(flags);
	preempt_enable_notrace();
}

typedef struct mutex rb_mutex_t;
#define rb_mutex_init(m)        mutex_init(m)
#define rb_mutex_lock(m)        mutex_lock(m)
#define rb_mutex_unlock(m)      mutex_unlock(m)
#define rb_cpu()                smp_processor_id()
#define rb_nr_cpus()            nr_cpu_ids
#define rb_cpu_present(cpu)     cpumask_test_cpu(cpu, &cpu_possible_mask)
#define rb_alloc(size)          kzalloc(size, GFP_KERNEL | __GFP_NOWARN)
#define rb_free(p)              kfree(p)
#define rb_alloc_pages(order)   get_free_pages(GFP_KERNEL | __GFP_NOWARN, order)
#define rb_free_pages(p, order) free_pages_addr(p, order)
/* Pages of a ring: programs may map them, so a page lives until its last user has dropped it. */
#define rb_alloc_ring_pages(order)                                                                 \
	get_user_pages(GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO, order, MM_FILEPAGES)
#define rb_free_ring_pages(p, order) put_user_pages(p, order)
/* For pages of a range. Programs cannot map those of vmalloc(): trace/core/buffer_mmap.c. */
#define rb_init_ring_pages(p, n)                                                                   \
	(is_vmalloc_addr(p) ? (void)0 : init_user_pages(virt_to_page(p), n, MM_FILEPAGES))
#define rb_relax()              cpu_relax()
/*
 * Only the compiler must keep the order: rb_quiesce() interrupts the writer's CPU, and the
 * interrupt orders the writer's store and load.
 */
#define rb_writer_barrier()     barrier()
/*
 * Reads a flag that others set, and on which the next access depends. gcc makes one instruction of
 * a plain load and its comparison, but two of an atomic load.
 */
#define rb_load_flag(flag)      (flag)
#define rb_load_quick_state(cb) ((cb)->quick_state)

#define rb_alloc_array(n, size)      vzalloc((n) * (size))
#define rb_free_array(p)             vfree(p)
#define rb_free_arrays(arrays, n)    vfree_many(arrays, n) /* one flush of the TLBs for all */
#define rb_alloc_aligned(size)       rb_alloc(ALIGN(size, 64))
#define rb_default_clock             trace_clock_local
#define rb_has_default_clock(buffer) ((buffer)->clock == trace_clock_local)
/* Reads the default clock without a call. */
#define rb_read_clock(buffer)                                                                      \
	(likely((buffer)->clock == trace_clock_local) ? arch_ktime() : (buffer)->clock())
#define rb_read_default_clock(cb)      arch_ktime()
#define rb_copy_page(to, from, length) memcpy(to, from, RB_PAGE_HEADER + (length))

static inline void rb_port_nothing(void *info __unused)
{
}

static inline void rb_sync_cpu(unsigned cpu)
{
	smp_call_function_single(cpu, rb_port_nothing, NULL, true);
}

static inline void rb_sync_all_cpus(void)
{
	on_each_cpu(rb_port_nothing, NULL, true);
}

/*
 * Wakes the readers of one CPU and the readers of all CPUs. rb_waker_raise(): any context.
 *
 * Parts that swap.c exchanges are partners, and each wakes the readers of both. For a reader may
 * sleep on buffer A's queue while its request is in B, and the parts may be exchanged between the
 * raise and the interrupt.
 */
typedef wait_queue_head_t rb_wait_queue_t;
struct rb_waker {
	struct irq_work work;
	wait_queue_head_t waiters;
	wait_queue_head_t *all_waiters; /* constant */
	struct rb_waker *partner;       /* [A] NULL: none */
};
#define rb_wait_queue_init(queue)      init_waitqueue_head(queue)
#define rb_waker_raise(waker)          irq_work_queue(&(waker)->work)
#define rb_waker_join(waker, other)    WRITE_ONCE((waker)->partner, other)
#define rb_waker_sync(waker)           irq_work_sync(&(waker)->work)
/* No task writes or waits any more. */
#define rb_waker_destroy(waker)        rb_waker_sync(waker)

static inline void rb_waker_wake(struct rb_waker *waker)
{
	wake_up_all(&waker->waiters);
	wake_up_all(waker->all_waiters);
}

static inline void rb_waker_run(struct irq_work *work)
{
	struct rb_waker *waker = container_of(work, struct rb_waker, work);
	struct rb_waker *partner = READ_ONCE(waker->partner);

	rb_waker_wake(waker);
	if (partner)
		rb_waker_wake(partner);
}

static inline void rb_waker_init(struct rb_waker *waker, wait_queue_head_t *all_waiters)
{
	init_irq_work(&waker->work, rb_waker_run);
	init_waitqueue_head(&waker->waiters);
	waker->all_waiters = all_waiters;
}
#endif
