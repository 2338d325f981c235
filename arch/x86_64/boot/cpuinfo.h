/* The CPUID information of each CPU (Intel SDM 2A, CPUID), for cpu_has() and /proc/cpuinfo. */
#pragma once

#include "kernel/compiler.h"
#include "kernel/linker_table.h"

/* The CPUID words that are kept, one bit for each feature. A feature number is word * 32 + bit. */
enum cpuid_word {
	CPUID_1_EDX,
	CPUID_8000_0001_EDX,
	CPUID_1_ECX,
	CPUID_8000_0001_ECX,
	CPUID_7_EBX,
	CPUID_7_ECX,
	CPUID_7_EDX,
	NR_CPUID_WORDS
};

#define X86_FEATURE_FPU                (CPUID_1_EDX * 32 + 0)
#define X86_FEATURE_TSC                (CPUID_1_EDX * 32 + 4)
#define X86_FEATURE_MCE                (CPUID_1_EDX * 32 + 7)
#define X86_FEATURE_APIC               (CPUID_1_EDX * 32 + 9)
#define X86_FEATURE_PGE                (CPUID_1_EDX * 32 + 13)
#define X86_FEATURE_FXSR               (CPUID_1_EDX * 32 + 24)
#define X86_FEATURE_SSE2               (CPUID_1_EDX * 32 + 26)
#define X86_FEATURE_HT                 (CPUID_1_EDX * 32 + 28)
#define X86_FEATURE_SYSCALL            (CPUID_8000_0001_EDX * 32 + 11)
#define X86_FEATURE_CX16               (CPUID_1_ECX * 32 + 13)
#define X86_FEATURE_X2APIC             (CPUID_1_ECX * 32 + 21)
#define X86_FEATURE_TSC_DEADLINE_TIMER (CPUID_1_ECX * 32 + 24)
#define X86_FEATURE_RDRAND             (CPUID_1_ECX * 32 + 30)
#define X86_FEATURE_HYPERVISOR         (CPUID_1_ECX * 32 + 31)
#define X86_FEATURE_XSAVE              (CPUID_1_ECX * 32 + 26)
#define X86_FEATURE_TOPOEXT            (CPUID_8000_0001_ECX * 32 + 22)
#define X86_FEATURE_FSGSBASE           (CPUID_7_EBX * 32 + 0)
#define X86_FEATURE_SMEP               (CPUID_7_EBX * 32 + 7)
#define X86_FEATURE_RDSEED             (CPUID_7_EBX * 32 + 18)
#define X86_FEATURE_SMAP               (CPUID_7_EBX * 32 + 20)
#define X86_FEATURE_UMIP               (CPUID_7_ECX * 32 + 2)

struct cpuinfo_x86 {
	char vendor[13]; /* "GenuineIntel" */
	char model_name[49];
	u8 family, model, stepping;
	u32 apic_id;
	u32 cpuid_level;  /* highest basic leaf */
	u32 clflush_size; /* bytes */
	u8 phys_bits, virt_bits;
	u32 words[NR_CPUID_WORDS];
};

/* Returns the information of an online CPU. Constant after the CPU is online. */
const struct cpuinfo_x86 *cpu_data(unsigned cpu);
/* Returns whether the boot CPU has X86_FEATURE_*. Any context. */
bool cpu_has(unsigned feature);
/* Returns the feature's name in /proc/cpuinfo ("sse2"), or NULL. feature < NR_CPUID_WORDS * 32. */
const char *x86_feature_name(unsigned feature);
/*
 * The first step of the boot CPU: reads CPUID, stops the machine if the CPU lacks a feature that
 * the kernel needs, loads GDT, TSS and IDT, switches on SMEP, SMAP and UMIP. Interrupts stay off.
 */
void cpu_init(void);

/*
 * Calls fn, a static function without arguments, once on each CPU as it starts: interrupts off, its
 * descriptors loaded. On the boot CPU fn cannot allocate memory, and there is no per-CPU area yet.
 */
typedef void (*cpu_init_t)(void);
#define CPU_INIT(fn)                                                                               \
	static const cpu_init_t cpu_init_##fn LINKER_TABLE_ENTRY(rodata, cpu_inits, "") = fn
