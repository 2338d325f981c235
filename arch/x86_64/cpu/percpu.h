/*
 * Per-CPU variables.
 *
 * Their master copies are in the linker section .data..percpu. The boot CPU uses the section itself
 * (GS base 0) until setup_per_cpu_areas() gives each CPU its own copy. From then on a CPU's GS base
 * is the distance from the section to its copy, so %gs:variable is this CPU's variable.
 *
 * Each this_cpu_*() operation is one instruction, so interrupts and migration cannot split it. A
 * pointer from this_cpu_ptr() is valid only while preemption is off.
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

/* Whether a 32-bit variable is 0. */
#define this_cpu_is_zero(var)                                                                      \
	({                                                                                         \
		bool __zero;                                                                       \
		__asm__ __volatile__("cmpl $0, %%gs:%1" : "=@ccz"(__zero) : "m"(var));             \
		__zero;                                                                            \
	})

/*
 * Reads a variable that does not change while a function runs, so that the compiler may read it
 * only once. 8 bytes, or 4 bytes extended to 8. Preemption off.
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
/* Decrements an int. Returns true if the result is negative. */
#define this_cpu_dec_negative(var)                                                                 \
	({                                                                                         \
		bool __negative;                                                                   \
		__asm__ __volatile__("decl %%gs:%0"                                                \
				     : "+m"(var), "=@ccs"(__negative)                              \
				     :                                                             \
				     : "memory");                                                  \
		__negative;                                                                        \
	})

/* Subtracts from a 32-bit variable. Returns true if the result is 0. */
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
/* Valid only while the task cannot migrate. */
#define smp_processor_id()        this_cpu_read(cpu_number)
#define smp_processor_id_stable() this_cpu_read_stable(cpu_number)
