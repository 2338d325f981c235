/* The names of the features of a CPU, as /proc/cpuinfo shows them. */
#include "arch/boot/cpuinfo.h"

/* clang-format off */
/* Linux's names of the feature bits, 32 for each CPUID word. Bits without a name are not shown. */
static const char *const feature_names[NR_CPUID_WORDS * 32] = {
	/* CPUID 1, EDX */
	"fpu", "vme", "de", "pse", "tsc", "msr", "pae", "mce", "cx8", "apic", NULL, "sep", "mtrr",
	"pge", "mca", "cmov", "pat", "pse36", "pn", "clflush", NULL, "dts", "acpi", "mmx", "fxsr",
	"sse", "sse2", "ss", "ht", "tm", "ia64", "pbe",
	/* CPUID 80000001h, EDX */
	[CPUID_8000_0001_EDX * 32 + 11] = "syscall",
	[CPUID_8000_0001_EDX * 32 + 19] = "mp",
	[CPUID_8000_0001_EDX * 32 + 20] = "nx",
	[CPUID_8000_0001_EDX * 32 + 22] = "mmxext",
	[CPUID_8000_0001_EDX * 32 + 25] = "fxsr_opt",
	[CPUID_8000_0001_EDX * 32 + 26] = "pdpe1gb",
	[CPUID_8000_0001_EDX * 32 + 27] = "rdtscp",
	[CPUID_8000_0001_EDX * 32 + 29] = "lm",
	[CPUID_8000_0001_EDX * 32 + 30] = "3dnowext",
	[CPUID_8000_0001_EDX * 32 + 31] = "3dnow",
	/* CPUID 1, ECX */
	[CPUID_1_ECX * 32] = "pni", "pclmulqdq", "dtes64", "monitor", "ds_cpl", "vmx", "smx", "est",
	"tm2", "ssse3", "cid", "sdbg", "fma", "cx16", "xtpr", "pdcm", NULL, "pcid", "dca", "sse4_1",
	"sse4_2", "x2apic", "movbe", "popcnt", "tsc_deadline_timer", "aes", "xsave", NULL, "avx",
	"f16c", "rdrand", "hypervisor",
	/* CPUID 80000001h, ECX */
	[CPUID_8000_0001_ECX * 32] = "lahf_lm", "cmp_legacy", "svm", "extapic", "cr8_legacy", "abm",
	"sse4a", "misalignsse", "3dnowprefetch", "osvw", "ibs", "xop", "skinit", "wdt", NULL, "lwp",
	"fma4", "tce",
	[CPUID_8000_0001_ECX * 32 + 21] = "tbm", "topoext", "perfctr_core", "perfctr_nb",
	/* CPUID 7, EBX */
	[CPUID_7_EBX * 32] = "fsgsbase", "tsc_adjust", "sgx", "bmi1", "hle", "avx2", NULL, "smep",
	"bmi2", "erms", "invpcid", "rtm", "cqm", NULL, "mpx", "rdt_a", "avx512f", "avx512dq",
	"rdseed", "adx", "smap", "avx512ifma", NULL, "clflushopt", "clwb", "intel_pt", "avx512pf",
	"avx512er", "avx512cd", "sha_ni", "avx512bw", "avx512vl",
	/* CPUID 7, ECX */
	[CPUID_7_ECX * 32] = NULL, "avx512vbmi", "umip", "pku", "ospke", "waitpkg", "avx512_vbmi2",
	NULL, "gfni", "vaes", "vpclmulqdq", "avx512_vnni", "avx512_bitalg", "tme",
	"avx512_vpopcntdq", NULL, "la57",
	[CPUID_7_ECX * 32 + 22] = "rdpid", "bus_lock_detect", NULL, "cldemote", NULL, "movdiri",
	"movdir64b", "enqcmd",
	/* CPUID 7, EDX */
	[CPUID_7_EDX * 32 + 2] = "avx512_4vnniw", "avx512_4fmaps", "fsrm",
	[CPUID_7_EDX * 32 + 10] = "md_clear",
	[CPUID_7_EDX * 32 + 14] = "serialize",
	[CPUID_7_EDX * 32 + 28] = "flush_l1d", "arch_capabilities",
};
/* clang-format on */

const char *x86_feature_name(unsigned feature)
{
	return feature_names[feature];
}
