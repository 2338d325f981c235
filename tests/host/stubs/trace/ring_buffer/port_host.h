/* The ring buffer's environment on the host, where threads simulate CPUs. */
#pragma once

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/compiler.h"

extern __thread unsigned rb_host_cpu; /* the CPU that this thread simulates */
#define RB_HOST_CPUS 4

/* Each clock is taken for the default one, so that rb_reserve_quick() is tested, too. Only this one is not, if a program has it. */
extern u64 rb_host_other_clock(void) __attribute__((weak));

extern __thread unsigned rb_host_reads; /* reader locks that this thread holds or waits for */
extern __thread bool rb_host_irqs_off;  /* this thread simulates an interrupt handler */

typedef pthread_mutex_t rb_lock_t;
#define rb_lock_init(l)         pthread_mutex_init(l, NULL)
#define rb_lock(l)              pthread_mutex_lock(l)
#define rb_trylock(l)           (pthread_mutex_trylock(l) == 0)
#define rb_unlock(l)            pthread_mutex_unlock(l)
#define rb_this_cpu_reads()     rb_host_reads
#define rb_this_cpu_reads_inc() (rb_host_reads++)
#define rb_this_cpu_reads_dec() (rb_host_reads--)
#define rb_irqs_disabled()      rb_host_irqs_off
#define rb_irq_save()           0UL
#define rb_irq_restore(flags)   ((void)(flags))
#define rb_unlocked(flags)      ((void)(flags))
#define rb_ktime()              rb_default_clock()

typedef pthread_mutex_t rb_mutex_t;
#define rb_mutex_init(m)   pthread_mutex_init(m, NULL)
#define rb_mutex_lock(m)   pthread_mutex_lock(m)
#define rb_mutex_unlock(m) pthread_mutex_unlock(m)

#define rb_cpu()                     rb_host_cpu
#define rb_nr_cpus()                 RB_HOST_CPUS
#define rb_cpu_present(cpu)          ((cpu) < RB_HOST_CPUS)
#define rb_alloc(size)               calloc(1, size)
#define rb_free(p)                   free(p)
#define rb_alloc_pages(order)        aligned_alloc(4096, 4096UL << (order))
#define rb_free_pages(p, order)      ((void)(order), free(p))
#define rb_alloc_ring_pages(order)   memset(rb_alloc_pages(order), 0, 4096UL << (order))
#define rb_free_ring_pages(p, order) rb_free_pages(p, order)
#define rb_init_ring_pages(p, n)     ((void)(p), (void)(n))
#define rb_alloc_array(n, size)      calloc(n, size)
#define rb_free_array(p)             free(p)
#define rb_relax()                   sched_yield()
#define rb_writer_barrier()          __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define rb_load_flag(flag)           __atomic_load_n(&(flag), __ATOMIC_ACQUIRE)
#define rb_load_quick_state(cb)      (rb_load_flag((cb)->nest) | (u64)rb_load_flag((cb)->record_disabled) << 32) /* TSan orders words by their address */
#define rb_sync_cpu(cpu)             ((void)(cpu))
#define rb_has_default_clock(buffer) ((buffer)->clock != rb_host_other_clock)
#define rb_read_clock(buffer)        ((buffer)->clock())
#define rb_read_default_clock(cb)    ((cb)->buffer->clock())

/* Readers sleep on the semaphore. A signal handler may post it. */
typedef struct {
} rb_wait_queue_t;
struct rb_waker {
	sem_t raised;
};
#define rb_wait_queue_init(queue)   ((void)(queue))
#define rb_waker_init(waker, queue) sem_init(&(waker)->raised, 0, 0)
#define rb_waker_raise(waker)       sem_post(&(waker)->raised)
#define rb_waker_join(waker, other) ((void)(waker), (void)(other))
#define rb_waker_sync(waker)        ((void)(waker))
#define rb_waker_destroy(waker)     sem_destroy(&(waker)->raised)

static inline void *rb_alloc_aligned(size_t size)
{
	void *p = aligned_alloc(64, ALIGN(size, 64));

	if (p)
		memset(p, 0, size);
	return p;
}

static inline void rb_free_arrays(const void *const *arrays, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((void *)arrays[i]);
}

static inline u64 rb_default_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000ULL + (u64)now.tv_nsec;
}

/*
 * A writer may change the page during the copy. The iterator validates the copy afterwards, but a
 * sanitizer cannot know that, so it must not check this function.
 */
__attribute__((no_sanitize("thread"), __noinline__, unused)) static void
rb_copy_page(void *to, const void *from, u32 length)
{
	volatile u32 *t = to;
	const volatile u32 *f = from;

	for (u32 i = 0; i < (16 + length) / 4; i++)
		t[i] = f[i];
}
