/*
 * Machine instructions as C: control registers, MSRs, CPUID, TSC, INVLPG (Intel SDM 2). For arch/
 * only.
 */
#pragma once

#include "kernel/compiler.h"

/* Model-specific registers (Intel SDM 4). */
#define MSR_APIC_BASE      0x1b
#define MSR_MCG_CAP        0x179 /* bits 0-7: the number of banks */
#define MSR_MCG_STATUS     0x17a
#define MSR_MC0_STATUS     0x401 /* bank n: MSR_MC0_STATUS + 4 * n */
#define MSR_TSC_DEADLINE   0x6e0
#define MSR_X2APIC         0x800
#define MSR_EFER           0xc0000080
#define MSR_STAR           0xc0000081 /* the selectors of SYSCALL and SYSRET */
#define MSR_LSTAR          0xc0000082 /* where SYSCALL goes */
#define MSR_CSTAR          0xc0000083 /* the same for 32-bit programs, on AMD */
#define MSR_FMASK          0xc0000084 /* the flags that SYSCALL clears */
#define MSR_FS_BASE        0xc0000100
#define MSR_GS_BASE        0xc0000101
#define MSR_KERNEL_GS_BASE 0xc0000102 /* SWAPGS exchanges it with the GS base */

#define EFER_SCE (1UL << 0) /* SYSCALL is on */

/* Control register bits (Intel SDM 3A 2.5). */
#define X86_CR0_WP   (1UL << 16)
#define X86_CR4_MCE  (1UL << 6)
#define X86_CR4_PGE  (1UL << 7)
#define X86_CR4_UMIP (1UL << 11)
#define X86_CR4_SMEP (1UL << 20)
#define X86_CR4_SMAP (1UL << 21)

/*
 * These two have no event, for code that must not be traced. Other code uses rdmsr() and wrmsr() of
 * arch/cpu/msr.h.
 */
static __always_inline u64 __rdmsr(u32 msr)
{
	u32 lo, hi;

	__asm__ __volatile__("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
	return ((u64)hi << 32) | lo;
}

static __always_inline void __wrmsr(u32 msr, u64 v)
{
	__asm__ __volatile__("wrmsr" ::"c"(msr), "a"((u32)v), "d"((u32)(v >> 32)) : "memory");
}

/*
 * Makes all earlier loads and stores visible to other CPUs and to the APIC before a later WRMSR.
 * Needed before a WRMSR that is not serializing: an x2APIC register (Intel SDM 3A 10.12.3), the TSC
 * deadline (10.5.4.1). LFENCE keeps WRMSR, which is no memory access, behind MFENCE. smp_mb() is a
 * locked instruction and orders memory accesses only.
 */
static __always_inline void wrmsr_fence(void)
{
	__asm__ __volatile__("mfence; lfence" ::: "memory");
}

static __always_inline u64 rdtsc(void)
{
	u64 lo, hi; /* RDTSC clears the upper halves (Intel SDM 2B) */

	__asm__ __volatile__("rdtsc" : "=a"(lo), "=d"(hi));
	return hi << 32 | lo;
}

static __always_inline void cpuid(u32 leaf, u32 subleaf, u32 *a, u32 *b, u32 *c, u32 *d)
{
	__asm__ __volatile__("cpuid"
			     : "=a"(*a), "=b"(*b), "=c"(*c), "=d"(*d)
			     : "a"(leaf), "c"(subleaf));
}

#define DEFINE_CR(n)                                                                               \
	static __always_inline u64 read_cr##n(void)                                                \
	{                                                                                          \
		u64 v;                                                                             \
		__asm__ __volatile__("mov %%cr" #n ", %0" : "=r"(v)::"memory");                    \
		return v;                                                                          \
	}                                                                                          \
	static __always_inline void write_cr##n(u64 v)                                             \
	{                                                                                          \
		__asm__ __volatile__("mov %0, %%cr" #n ::"r"(v) : "memory");                       \
	}

DEFINE_CR(0)
DEFINE_CR(2)
DEFINE_CR(3)
DEFINE_CR(4)

#define DR6_RESERVED 0xffff0ff0UL /* the value without a cause */

/* The causes of a #DB. Clears them: the CPU only adds more. */
static __always_inline u64 take_dr6(void)
{
	u64 v;

	__asm__ __volatile__("mov %%dr6, %0" : "=r"(v));
	__asm__ __volatile__("mov %0, %%dr6" ::"r"(DR6_RESERVED));
	return v ^ DR6_RESERVED;
}

#define DR7_G0    0x2UL   /* the breakpoint at DR0 is on; its other bits 0: at an instruction */
#define DR7_FIXED 0x400UL /* the value without a breakpoint */

static __always_inline void write_dr0_and_dr7(u64 address, u64 control)
{
	__asm__ __volatile__("mov %0, %%dr0\n\tmov %1, %%dr7" ::"r"(address), "r"(control));
}

static __always_inline void invlpg(unsigned long addr)
{
	__asm__ __volatile__("invlpg (%0)" ::"r"(addr) : "memory");
}
