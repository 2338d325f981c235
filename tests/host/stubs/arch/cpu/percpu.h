/*
 * The host's percpu.h. The host has one CPU, so each per-CPU variable is an ordinary variable. A test with
 * HOST_CPUS in its flags says which CPU a thread is: host_cpu. Then a variable is the thread's.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/cpumask.h"

#ifdef HOST_CPUS
extern __thread unsigned host_cpu;
#define HOST_PER_CPU       __thread
#define smp_processor_id() host_cpu
#else
#define HOST_PER_CPU
#define smp_processor_id() 0
#endif

#define DEFINE_PER_CPU(type, name)  HOST_PER_CPU __typeof__(type) name
#define DECLARE_PER_CPU(type, name) extern HOST_PER_CPU __typeof__(type) name

#define per_cpu_ptr(ptr, cpu)      ((void)(cpu), (ptr))
#define per_cpu(var, cpu)          (*per_cpu_ptr(&(var), cpu))
#define this_cpu_ptr(ptr)          (ptr)
#define this_cpu_read(var)         (var)
#define this_cpu_read_stable(var)  (var)
#define this_cpu_write(var, val)   ((var) = (val))
#define this_cpu_add(var, val)     ((var) += (val))
#define this_cpu_sub(var, val)     ((var) -= (val))
#define this_cpu_sub_and_test(var, val) (((var) -= (val)) == 0)
#define this_cpu_or(var, val)      ((var) |= (val))
#define this_cpu_and(var, val)     ((var) &= (val))
#define this_cpu_inc(var)          ((var)++)
#define this_cpu_dec(var)          ((var)--)
#define this_cpu_dec_negative(var) (--(var) < 0)

extern unsigned cpu_number; /* of tests that look for its address */
