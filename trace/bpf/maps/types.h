/*
 * What the types of maps have in common: flags, copies of values, and locks that work in NMIs.
 */
#pragma once

#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "arch/cpu/processor.h"
#include "kernel/cpumask.h"
#include "trace/bpf/core/map.h"

/* The rights of user space and of programs that a map may be made with. */
#define BPF_F_ACCESS_MASK (BPF_F_RDONLY | BPF_F_WRONLY | BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG)
/* Whether the memory shall be on one node. There is one node: nop5 only checks the flag. */
static inline bool bpf_map_wants_node(const union bpf_attr *attr)
{
	return (attr->map_flags & BPF_F_NUMA_NODE) && attr->numa_node != ~0U;
}

/* Whether a map may have so many bytes more, and enough is left for all others. Any context. */
bool bpf_map_enough_memory(u64 size);

/* Bytes at most of a value that each CPU has one of. Linux's: PCPU_MIN_UNIT_SIZE. */
#define BPF_PERCPU_VALUE_MAX (32U << 10)
/* Distance of the areas of two CPUs: a multiple of the line size of the caches. */
#define BPF_PERCPU_ALIGN 64

/* Whether the flags are of allowed, and do not take all rights from programs. */
static inline bool bpf_map_flags_ok(u32 flags, u32 allowed)
{
	u32 of_programs = BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG;

	return !(flags & ~allowed) && (flags & of_programs) != of_programs;
}

/* ---- copies ----
 *
 * Keys and values in maps are words of 8 bytes. Other CPUs may read or write them at the same time,
 * so they are loaded and stored word by word: no word is half old and half new.
 */

/* Up to 7 bytes as a word; the other bytes are 0. */
static __always_inline u64 bpf_tail_word(const u8 *p, u32 bytes)
{
	u64 word = 0;
	u32 i = 0;

	if (bytes & 4) {
		word = *(const u32 *)p;
		i = 4;
	}
	for (; i < bytes; i++)
		word |= (u64)p[i] << (8 * i);
	return word;
}

/* Copies into a map. `to` has room for whole words; the last one is filled with zeros. */
static inline void bpf_store_words(u64 *to, const void *from, u32 bytes)
{
	const u8 *p = from;

	for (; bytes >= 8; bytes -= 8, p += 8)
		__atomic_store_n(to++, *(const u64 *)p, __ATOMIC_RELAXED);
	if (bytes)
		__atomic_store_n(to, bpf_tail_word(p, bytes), __ATOMIC_RELAXED);
}

/* Copies out of a map. */
static inline void bpf_load_bytes(void *to, const u64 *from, u32 bytes)
{
	u8 *p = to;

	for (; bytes >= 8; bytes -= 8, p += 8)
		*(u64 *)p = __atomic_load_n(from++, __ATOMIC_RELAXED);
	if (bytes) {
		u64 word = __atomic_load_n(from, __ATOMIC_RELAXED);

		for (; bytes; bytes--, word >>= 8)
			*p++ = (u8)word;
	}
}

static inline void bpf_zero_words(u64 *to, u32 words)
{
	while (words--)
		__atomic_store_n(to++, 0, __ATOMIC_RELAXED);
}

/* ---- locks ----
 *
 * A program may run anywhere: in an NMI that has interrupted the update of a map, or at a kprobe in
 * a function that the update calls. If it waits there for a lock that its own CPU holds, it waits
 * for ever. So there is one rule: a CPU that holds such a lock waits for no other one. It tries
 * once, and gives up with -EBUSY. Then no two CPUs can wait for each other, and who waits waits for
 * a CPU that makes progress.
 */
DECLARE_PER_CPU(int, bpf_locks_held); /* or being taken */

/* True: locked, with interrupts off; *flags is for bpf_unlock(). False: -EBUSY. Any context. */
static __always_inline bool bpf_lock(u32 *lock, unsigned long *flags)
{
	/*
	 * LAB 17: An NMI may come between any two instructions, and take locks as well. Starts as:
	 * raw_local_irq_save(*flags);
	 * while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
	 *	cpu_relax();
	 * return true;
	 */
	bool may_wait;

	raw_local_irq_save(*flags);
	may_wait = this_cpu_read(bpf_locks_held) == 0;
	this_cpu_inc(bpf_locks_held);
	barrier(); /* an NMI from here on sees that */
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) {
		if (!may_wait) {
			this_cpu_dec(bpf_locks_held);
			raw_local_irq_restore(*flags);
			return false;
		}
		while (__atomic_load_n(lock, __ATOMIC_RELAXED))
			cpu_relax();
	}
	return true;
	/* END LAB 17 */
}

static __always_inline void bpf_unlock(u32 *lock, unsigned long flags)
{
	/*
	 * LAB 17: In which order? Starts as:
	 * __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	 * raw_local_irq_restore(flags);
	 */
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	barrier();
	this_cpu_dec(bpf_locks_held);
	raw_local_irq_restore(flags);
	/* END LAB 17 */
}

/* ---- values of each CPU ---- */

/* Bytes of one CPU's area with n values. */
static inline u64 bpf_percpu_stride(u64 n, u32 value_size)
{
	return ALIGN(n * ALIGN((u64)value_size, 8), BPF_PERCPU_ALIGN);
}

/* The value of a CPU, if that of CPU 0 is at base. */
static __always_inline u64 *bpf_percpu_value(u8 *base, u64 stride, u32 cpu)
{
	return (u64 *)(base + stride * cpu);
}

/* User space sees the values of all possible CPUs, one after the other, in whole words. */
void bpf_percpu_read(void *to, u8 *base, u64 stride, u32 value_size);
void bpf_percpu_write(u8 *base, u64 stride, const void *from, u32 value_size);
u32 bpf_percpu_user_value_size(const struct bpf_map *map); /* bpf_map_ops.user_value_size */
