/* Attributes for the compiler, and small macros that every file uses. */
#pragma once

#include "kernel/types.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/*
 * The function gets no ftrace call site. Every use gives the reason on the same line. The build
 * makes docs/notrace.md of these lines.
 */
#define notrace  __attribute__((no_instrument_function))
#define noinline __attribute__((noinline))
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
/*
 * The function keeps all registers, also those that the ABI lets a function change. It must call
 * only functions that do so, too: for any other one it would save every register.
 */
#define __keeps_registers __attribute__((no_caller_saved_registers))
#define __noreturn        __attribute__((noreturn))
/*
 * Before a loop: at most 8 turns, which become straight code. clang cannot do that to `asm goto`,
 * and reports that it did not.
 */
#ifdef __clang__
#define unrolled
#else
#define unrolled _Pragma("GCC unroll 8")
#endif
#define __packed            __attribute__((packed))
#define __aligned(n)        __attribute__((aligned(n)))
#define __section(name)     __attribute__((section(name)))
#define __used              __attribute__((used))
#define __alias(name)       __attribute__((alias(name)))
#define __unused            __attribute__((unused))
#define __weak              __attribute__((weak))
#define __must_check        __attribute__((warn_unused_result))
#define __printf(fmt, args) __attribute__((format(printf, fmt, args)))
#define fallthrough         __attribute__((fallthrough))
/* A pointer from a program. Only arch/mm/uaccess.h follows it. */
#define __user
#define __force             /* the cast is meant: it adds or drops __user */
#define __cacheline_aligned __aligned(64)

#ifdef NOP5_HOST
#define __init
#define __initdata
#define __initconst
#define __ro_after_init
#else
/* First functions of an interrupt: placed between __irqentry_text_start and __irqentry_text_end. */
#define __irq_entry     __section(".irqentry.text")
#define __init          __section(".init.text") /* freed after the boot, with its ftrace records */
#define __initdata      __section(".init.data")
#define __initconst     __section(".init.rodata")
/* Written by initcalls, read-only from then on: free_initmem(). */
#define __ro_after_init __section(".data..ro_after_init")
#endif

#define barrier() __asm__ __volatile__("" ::: "memory")
/*
 * Gives p, but hides from the compiler to which object p points. Code that compares pointers into
 * neighbouring objects needs it, because the compiler may assume that such pointers differ.
 */
#define hide_pointer(p)                                                                            \
	({                                                                                         \
		__typeof__((p) + 0) __p = (p);                                                     \
		__asm__("" : "+r"(__p));                                                           \
		__p;                                                                               \
	})
#define READ_ONCE(x)     (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))

#define smp_mb()                __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()               __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()               __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_load_acquire(p)     __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define xchg(p, v)              __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
/* Stores new at p if p holds old. Returns the value that p held. */
#define cmpxchg(p, old, new)                                                                       \
	({                                                                                         \
		__typeof__(*(p)) __old = (old);                                                    \
		__atomic_compare_exchange_n((p), &__old, (new), false, __ATOMIC_SEQ_CST,           \
					    __ATOMIC_SEQ_CST);                                     \
		__old;                                                                             \
	})

/* The text of x, with the macros in x replaced. */
#define __stringify_1(x...) #x
#define __stringify(x...)   __stringify_1(x)
/* Whether type, a number or a pointer, can be negative. */
#define is_signed_type(type) ((type)-1 < (type)1)

#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
#define ARRAY_SIZE(a)                   (sizeof(a) / sizeof((a)[0]))
#define BUILD_BUG_ON(cond)              _Static_assert(!(cond), #cond)
#define ALIGN(x, a)                     (((x) + ((__typeof__(x))(a)-1)) & ~((__typeof__(x))(a)-1))
#define ALIGN_DOWN(x, a)                ((x) & ~((__typeof__(x))(a)-1))
#define IS_ALIGNED(x, a)                (((x) & ((__typeof__(x))(a)-1)) == 0)
#define DIV_ROUND_UP(n, d)              (((n) + (d)-1) / (d))
#define BIT(n)                          (1UL << (n))
#define min(a, b)                                                                                  \
	({                                                                                         \
		__typeof__(a) __a = (a);                                                           \
		__typeof__(b) __b = (b);                                                           \
		__a < __b ? __a : __b;                                                             \
	})
#define max(a, b)                                                                                  \
	({                                                                                         \
		__typeof__(a) __a = (a);                                                           \
		__typeof__(b) __b = (b);                                                           \
		__a > __b ? __a : __b;                                                             \
	})
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define swap(a, b)                                                                                 \
	do {                                                                                       \
		__typeof__(a) __tmp = (a);                                                         \
		(a) = (b);                                                                         \
		(b) = __tmp;                                                                       \
	} while (0)
