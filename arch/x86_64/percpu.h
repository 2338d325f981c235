/*
 * Per-CPU variables.
 *
 * They live in the linker section .data..percpu. The section itself serves the boot CPU until
 * per-CPU areas exist (GS base 0); after setup_per_cpu_areas() each CPU has a copy, and its GS base
 * is the distance from the section to that copy, so %gs:variable is this CPU's.
 *
 * this_cpu_*() are one instruction each: safe against interrupts and migration. A plain pointer
 * from this_cpu_ptr() needs preemption off for as long as it is used.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/cpumask.h"

#define DEFINE_PER_CPU(type, name)  __section(".data..percpu") __typeof__(type) name
#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name

extern unsigned long __per_cpu_offset[NR_CPUS]; /* written at boot, before the CPU starts */
DECLARE_PER_CPU(unsigned long, this_cpu_off);   /* this CPU's __per_cpu_offset */
DECLARE_PER_CPU(unsigned, cpu_number);

#define per_cpu_ptr(ptr, cpu) ((__typeof__(ptr))((unsigned long)(ptr) + __per_cpu_offset[cpu]))
#define per_cpu(var, cpu)     (*per_cpu_ptr(&(var), cpu))

#define this_cpu_read(var)                                                                         \
	({                                                                                         \
		__typeof__(var) __v;                                                               \
		if (sizeof(var) == 1)                                                              \
			__asm__ __volatile__("movb %%gs:%1, %b0" : "=q"(__v) : "m"(var));          \
		else if (sizeof(var) == 2)                                                         \
			__asm__ __volatile__("movw %%gs:%1, %w0" : "=r"(__v) : "m"(var));          \
		else if (sizeof(var) == 4)                                                         \
			__asm__ __volatile__("movl %%gs:%1, %k0" : "=r"(__v) : "m"(var));          \
		else                                                                               \
			__asm__ __volatile__("movq %%gs:%1, %q0" : "=r"(__v) : "m"(var));          \
		__v;                                                                               \
	})

/*
 * The same of a variable that has one value from the beginning of a function to its end: the
 * compiler need not read it twice. 8 bytes, or 4 that become 8. For functions that run with
 * preemption off.
 */
#define this_cpu_read_stable(var)                                                                  \
	({                                                                                         \
		u64 __v;                                                                           \
		if (sizeof(var) == 4)                                                              \
			__asm__("movl %%gs:%a1, %k0" : "=r"(__v) : "p"(&(var)));                   \
		else                                                                               \
			__asm__("movq %%gs:%a1, %q0" : "=r"(__v) : "p"(&(var)));                   \
		__v;                                                                               \
	})

#define percpu_op(op, var, val)                                                                    \
	do {                                                                                       \
		__typeof__(var) __val = (val);                                                     \
		if (sizeof(var) == 1)                                                              \
			__asm__ __volatile__(op "b %b1, %%gs:%0"                                   \
					     : "+m"(var)                                           \
					     : "qi"(__val)                                         \
					     : "memory");                                          \
		else if (sizeof(var) == 2)                                                         \
			__asm__ __volatile__(op "w %w1, %%gs:%0"                                   \
					     : "+m"(var)                                           \
					     : "ri"(__val)                                         \
					     : "memory");                                          \
		else if (sizeof(var) == 4)                                                         \
			__asm__ __volatile__(op "l %k1, %%gs:%0"                                   \
					     : "+m"(var)                                           \
					     : "ri"(__val)                                         \
					     : "memory");                                          \
		else                                                                               \
			__asm__ __volatile__(op "q %q1, %%gs:%0"                                   \
					     : "+m"(var)                                           \
					     : "re"(__val)                                         \
					     : "memory");                                          \
	} while (0)

#define this_cpu_write(var, val) percpu_op("mov", var, val)
#define this_cpu_add(var, val)   percpu_op("add", var, val)
#define this_cpu_sub(var, val)   percpu_op("sub", var, val)
#define this_cpu_or(var, val)    percpu_op("or", var, val)
#define this_cpu_and(var, val)   percpu_op("and", var, val)
#define this_cpu_inc(var)        this_cpu_add(var, 1)
#define this_cpu_dec(var)        this_cpu_sub(var, 1)
/* Decrement an int; true if it is negative now. */
#define this_cpu_dec_negative(var)                                                                 \
	({                                                                                         \
		bool __negative;                                                                   \
		__asm__ __volatile__("decl %%gs:%0"                                                \
				     : "+m"(var), "=@ccs"(__negative)                              \
				     :                                                             \
				     : "memory");                                                  \
		__negative;                                                                        \
	})

/* Subtract from a 32-bit variable; true if that makes it 0. */
#define this_cpu_sub_and_test(var, val)                                                            \
	({                                                                                         \
		bool __zero;                                                                       \
		__asm__ __volatile__("subl %2, %%gs:%1"                                            \
				     : "=@ccz"(__zero), "+m"(var)                                  \
				     : "ri"((u32)(val))                                            \
				     : "memory");                                                  \
		__zero;                                                                            \
	})

#define this_cpu_ptr(ptr) ((__typeof__(ptr))((unsigned long)(ptr) + this_cpu_read(this_cpu_off)))
/* Only meaningful while the task cannot migrate. */
#define smp_processor_id()        this_cpu_read(cpu_number)
#define smp_processor_id_stable() this_cpu_read_stable(cpu_number)
