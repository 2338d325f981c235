/*
 * CPUID: reads the properties and features of each CPU, and sets the bits of CR4 that depend on
 * them.
 */
#include "arch/boot/cpuinfo.h"

#include "arch/irq/descriptors.h"
#include "arch/cpu/halt.h"
#include "arch/cpu/percpu.h"
#include "arch/cpu/processor.h"
#include "arch/boot/smpboot.h"
#include "arch/cpu/special_insns.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/panic.h"

#define CPUID_LEAF_TOPOLOGY 0xb
#define CPUID_LEAF_XSAVE    0xd

static DEFINE_PER_CPU(struct cpuinfo_x86, cpu_info);
DEFINE_LINKER_TABLE(rodata, const cpu_init_t, cpu_inits);
static u32 boot_cpu_words[NR_CPUID_WORDS];

bool cpu_has(unsigned feature)
{
	return (boot_cpu_words[feature / 32] >> (feature % 32)) & 1;
}

const struct cpuinfo_x86 *cpu_data(unsigned cpu)
{
	return &per_cpu(cpu_info, cpu);
}

static void identify_name(struct cpuinfo_x86 *c, u32 extended_level)
{
	u32 words[12] = { 0 };
	const char *name = (const char *)words;

	if (extended_level < 0x80000004) {
		memcpy(c->model_name, "unknown", sizeof("unknown"));
		return;
	}
	for (u32 i = 0; i < 3; i++)
		cpuid(0x80000002 + i, 0, &words[i * 4], &words[i * 4 + 1], &words[i * 4 + 2],
		      &words[i * 4 + 3]);
	while (*name == ' ' && name < (const char *)words + sizeof(words) - 1)
		name++;
	memcpy(c->model_name, name, (size_t)((const char *)words + sizeof(words) - name));
}

static void clear_feature(struct cpuinfo_x86 *c, unsigned feature)
{
	c->words[feature / 32] &= ~(1U << (feature % 32));
}

/* A feature whose numbers are in a leaf that the CPU does not have cannot be used. */
static void hide_features_without_leaf(struct cpuinfo_x86 *c)
{
	if (c->cpuid_level < CPUID_LEAF_TOPOLOGY)
		clear_feature(c, X86_FEATURE_X2APIC);
	if (c->cpuid_level < CPUID_LEAF_XSAVE)
		clear_feature(c, X86_FEATURE_XSAVE);
}

static void identify_cpu(struct cpuinfo_x86 *c)
{
	u32 eax, ebx, ecx, edx, extended_level;

	*c = (struct cpuinfo_x86){ .phys_bits = 36, .virt_bits = 48 };
	cpuid(0, 0, &c->cpuid_level, &ebx, &ecx, &edx);
	memcpy(c->vendor, &ebx, 4);
	memcpy(c->vendor + 4, &edx, 4);
	memcpy(c->vendor + 8, &ecx, 4);

	cpuid(1, 0, &eax, &ebx, &c->words[CPUID_1_ECX], &c->words[CPUID_1_EDX]);
	c->stepping = eax & 15;
	c->model = (u8)(((eax >> 4) & 15) | ((eax >> 12) & 0xf0));
	c->family = (eax >> 8) & 15;
	if (c->family == 15)
		c->family = (u8)(c->family + (eax >> 20));
	c->clflush_size = ((ebx >> 8) & 0xff) * 8;
	c->apic_id = ebx >> 24;

	if (c->cpuid_level >= 7)
		cpuid(7, 0, &eax, &c->words[CPUID_7_EBX], &c->words[CPUID_7_ECX],
		      &c->words[CPUID_7_EDX]);
	if (c->cpuid_level >= CPUID_LEAF_TOPOLOGY && (c->words[CPUID_1_ECX] >> 21) & 1) {
		cpuid(CPUID_LEAF_TOPOLOGY, 0, &eax, &ebx, &ecx, &edx);
		if (ebx)
			c->apic_id = edx;
	}

	cpuid(0x80000000, 0, &extended_level, &ebx, &ecx, &edx);
	if (extended_level >= 0x80000001)
		cpuid(0x80000001, 0, &eax, &ebx, &c->words[CPUID_8000_0001_ECX],
		      &c->words[CPUID_8000_0001_EDX]);
	if (extended_level >= 0x80000008) {
		cpuid(0x80000008, 0, &eax, &ebx, &ecx, &edx);
		c->phys_bits = eax & 0xff;
		c->virt_bits = (eax >> 8) & 0xff;
	}
	identify_name(c, extended_level);
	hide_features_without_leaf(c);
}

/*
 * The features that the kernel uses from here on without another test. boot/entry.asm has tested
 * those that it uses itself. It cannot test SYSCALL, because Intel's CPUs show that bit only in
 * 64-bit mode.
 */
static const struct {
	u16 feature;
	const char *name;
} needed_features[] __initconst = {
	{ X86_FEATURE_CX16, "cmpxchg16b (CX16)" }, /* the tail of the ring buffer */
	{ X86_FEATURE_FPU, "an FPU (FPU)" },
	{ X86_FEATURE_FXSR, "fxsave (FXSR)" },
	{ X86_FEATURE_SSE2, "SSE2 (SSE2)" }, /* mfence and lfence; programs */
	{ X86_FEATURE_SYSCALL, "syscall (SYSCALL)" },
	{ X86_FEATURE_APIC, "a local APIC (APIC)" }, /* the timer */
	{ X86_FEATURE_PGE, "global pages (PGE)" },
};

static void __init check_needed_features(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(needed_features); i++)
		if (!cpu_has(needed_features[i].feature))
			boot_refuse("a CPU with %s", needed_features[i].name);
}

void cpu_setup_features(void)
{
	struct cpuinfo_x86 *c = this_cpu_ptr(&cpu_info);
	u64 cr4 = read_cr4() | X86_CR4_PGE;

	identify_cpu(c);
	if (cpu_has(X86_FEATURE_MCE)) /* without it a machine check resets the machine */
		cr4 |= X86_CR4_MCE;
	if (cpu_has(X86_FEATURE_SMEP))
		cr4 |= X86_CR4_SMEP;
	if (cpu_has(X86_FEATURE_SMAP))
		cr4 |= X86_CR4_SMAP;
	if (cpu_has(X86_FEATURE_UMIP))
		cr4 |= X86_CR4_UMIP;
	write_cr4(cr4);
	for_each_linker_table_entry (init, cpu_inits)
		(*init)();
}

bool cpu_is_tcg, cpu_is_virtual;
EXPORT_SYMBOL(cpu_is_tcg); /* cpu_relax() */

/* Reads the signature in the hypervisor leaf, which is "TCGTCGTCGTCG" under QEMU's TCG. */
static void __init detect_hypervisor(void)
{
	u32 a, b, c, d;

	cpuid(1, 0, &a, &b, &c, &d);
	cpu_is_virtual = c & (1U << 31);
	if (!cpu_is_virtual)
		return;
	cpuid(0x40000000, 0, &a, &b, &c, &d);
	cpu_is_tcg = memcmp(&b, "TCGT", 4) == 0;
}

void __init cpu_init(void)
{
	detect_hypervisor();
	idt_init();
	load_descriptors();
	identify_cpu(this_cpu_ptr(&cpu_info));
	memcpy(boot_cpu_words, this_cpu_ptr(&cpu_info)->words, sizeof(boot_cpu_words));
	check_needed_features();
	cpu_setup_features();
}
