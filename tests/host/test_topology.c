/*
 * How CPUs share cores, dies, packages and caches: what is made of CPUID's answers. Those of the
 * machines that QEMU's translator has are QEMU's, and Linux 6.1 shows the same there.
 * sources: arch/x86_64/cpu/topology.c
 */
#include "test.h"

#include "arch/boot/cpuinfo.h"
#include "arch/cpu/topology.h"
#include "arch/cpu/special_insns.h"

struct answer {
	u32 leaf, subleaf, eax, ebx, ecx, edx;
};

static const struct answer *answers; /* the last one has the leaf ~0 */
static struct cpuinfo_x86 cpus[NR_CPUS];
struct cpumask cpu_online_mask;

void cpuid(u32 leaf, u32 subleaf, u32 *a, u32 *b, u32 *c, u32 *d)
{
	*a = *b = *c = *d = 0;
	for (const struct answer *answer = answers; answer->leaf != ~0U; answer++)
		if (answer->leaf == leaf && answer->subleaf == subleaf)
			*a = answer->eax, *b = answer->ebx, *c = answer->ecx, *d = answer->edx;
}

const struct cpuinfo_x86 *cpu_data(unsigned cpu)
{
	return &cpus[cpu];
}

bool cpu_has(unsigned feature)
{
	return (cpus[0].words[feature / 32] >> (feature % 32)) & 1;
}

static void set_feature(unsigned feature)
{
	cpus[0].words[feature / 32] |= 1U << (feature % 32);
}

/* A machine with CPUs 0 to count - 1, whose APIC IDs are the same numbers. */
static void make_machine(const char *vendor, u32 level, unsigned count, const struct answer *of)
{
	memset(cpus, 0, sizeof(cpus));
	cpumask_clear(&cpu_online_mask);
	answers = of;
	for (unsigned cpu = 0; cpu < count; cpu++) {
		strcpy(cpus[cpu].vendor, vendor);
		cpus[cpu].cpuid_level = level;
		cpus[cpu].apic_id = cpu;
		cpumask_set_cpu(cpu, &cpu_online_mask);
	}
}

static void expect_topology(unsigned cpu, const u32 id[3], const u64 shared[3])
{
	struct cpu_topology topology;

	arch_cpu_topology(cpu, &topology);
	for (unsigned level = 0; level < NR_TOPOLOGY_LEVELS; level++) {
		assert_int_equal(topology.id[level], id[level]);
		assert_int_equal(topology.cpus[level].bits[0], shared[level]);
	}
}

static void expect_cache(unsigned cpu, unsigned index, struct cache_leaf expected, u64 shared)
{
	struct cache_leaf leaf;

	assert_true(arch_cache_leaf(cpu, index, &leaf));
	assert_int_equal(leaf.level, expected.level);
	assert_int_equal(leaf.type, expected.type);
	assert_int_equal(leaf.size, expected.size);
	assert_int_equal(leaf.line_size, expected.line_size);
	assert_int_equal(leaf.ways, expected.ways);
	assert_int_equal(leaf.sets, expected.sets);
	assert_int_equal(leaf.partitions, 1);
	assert_int_equal(leaf.id, expected.id);
	assert_int_equal(leaf.cpus.bits[0], shared);
}

#define EXPECT_TOPOLOGY(cpu, core, die, package, core_cpus, die_cpus, package_cpus)                \
	expect_topology(cpu, (u32[]){ core, die, package },                                        \
			(u64[]){ core_cpus, die_cpus, package_cpus })
#define CACHE(level, type, kb, ways, sets, id)                                                     \
	((struct cache_leaf){ level, CACHE_##type, (kb) * 1024, 64, ways, sets, 1, id, { { 0 } } })

/* One register that describes a cache, as AMD's CPUs before TOPOEXT have it. */
#define OLD_L1(kb, ways)      ((u32)(kb) << 24 | (ways) << 16 | 1 << 8 | 64)
#define OLD_L2(kb, code)      ((u32)(kb) << 16 | (code) << 12 | 1 << 8 | 64)
#define OLD_L3(halves, code)  ((u32)(halves) << 18 | (code) << 12 | 1 << 8 | 64)
/* A subleaf that describes a cache of 64-byte lines. */
#define LEAF(leaf, index, level, type, sharing, ways, sets)                                        \
	{ leaf, index, ((sharing) - 1) << 14 | (level) << 5 | CACHE_##type, ((ways) - 1U) << 22 | 63,  \
	  (sets) - 1, 0 }
#define END { ~0U, 0, 0, 0, 0, 0 }

static void test_amd_without_topoext_has_cores_in_one_package(void **state)
{
	static const struct answer qemu_max[] = {
		{ 0x80000000, 0, 0x8000000a, 0, 0, 0 },
		{ 0x80000005, 0, 0, 0, OLD_L1(64, 2), OLD_L1(64, 2) },
		{ 0x80000006, 0, 0, 0, OLD_L2(512, 8), OLD_L3(32, 8) },
		{ 0x80000008, 0, 0, 0, 1, 0 },
		/* Linux does not look at these here. */
		{ 0xb, 0, 1, 2, 0x100, 0 },
		LEAF(4, 0, 1, DATA, 1, 8, 64),
		END,
	};

	(void)state;
	make_machine("AuthenticAMD", 0xd, 2, qemu_max);
	set_feature(X86_FEATURE_HT);
	EXPECT_TOPOLOGY(0, 0, 0, 0, 1, 3, 3);
	EXPECT_TOPOLOGY(1, 1, 0, 0, 2, 3, 3);
	expect_cache(1, 0, CACHE(1, DATA, 64, 2, 512, 1), 2);
	expect_cache(1, 1, CACHE(1, INSTRUCTION, 64, 2, 512, 1), 2);
	expect_cache(1, 2, CACHE(2, UNIFIED, 512, 16, 512, 1), 2);
	expect_cache(1, 3, CACHE(3, UNIFIED, 16384, 16, 16384, 1), 3);
	assert_false(arch_cache_leaf(1, 4, &(struct cache_leaf){ 0 }));
}

static void test_amd_without_a_third_level_has_three_caches(void **state)
{
	static const struct answer athlon[] = {
		{ 0x80000000, 0, 0x80000018, 0, 0, 0 },
		{ 0x80000005, 0, 0, 0, OLD_L1(64, 2), OLD_L1(64, 2) },
		{ 0x80000006, 0, 0, 0, OLD_L2(1024, 8), 0 },
		END,
	};
	struct cache_leaf leaf;

	(void)state;
	make_machine("AuthenticAMD", 1, 1, athlon);
	EXPECT_TOPOLOGY(0, 0, 0, 0, 1, 1, 1);
	assert_true(arch_cache_leaf(0, 2, &leaf));
	assert_false(arch_cache_leaf(0, 3, &leaf));
}

static void test_amd_with_topoext_shares_what_its_own_leaf_says(void **state)
{
	static const struct answer epyc[] = {
		{ 0xb, 0, 1, 2, 0x100, 0 },
		{ 0xb, 1, 3, 8, 0x201, 0 },
		LEAF(0x8000001d, 0, 1, DATA, 2, 8, 64),
		LEAF(0x8000001d, 1, 1, INSTRUCTION, 2, 4, 256),
		LEAF(0x8000001d, 2, 2, UNIFIED, 2, 8, 1024),
		LEAF(0x8000001d, 3, 3, UNIFIED, 4, 16, 8192),
		END,
	};

	(void)state;
	make_machine("AuthenticAMD", 0xd, 8, epyc);
	set_feature(X86_FEATURE_TOPOEXT);
	EXPECT_TOPOLOGY(5, 2, 0, 0, 0x30, 0xff, 0xff);
	expect_cache(5, 1, CACHE(1, INSTRUCTION, 64, 4, 256, 2), 0x30);
	expect_cache(5, 3, CACHE(3, UNIFIED, 8192, 16, 8192, 1), 0xf0);
}

static void test_intel_with_threads_and_sockets(void **state)
{
	static const struct answer skylake_client[] = {
		{ 0xb, 0, 1, 2, 0x100, 0 },
		{ 0xb, 1, 2, 4, 0x201, 0 },
		{ 0xb, 2, 0, 0, 2, 0 },
		LEAF(4, 0, 1, DATA, 1, 8, 64),
		LEAF(4, 1, 1, INSTRUCTION, 1, 8, 64),
		LEAF(4, 2, 2, UNIFIED, 2, 16, 4096),
		LEAF(4, 3, 3, UNIFIED, 4, 16, 16384),
		END,
	};

	(void)state;
	make_machine("GenuineIntel", 0xd, 8, skylake_client);
	EXPECT_TOPOLOGY(3, 1, 0, 0, 0x0c, 0x0f, 0x0f);
	EXPECT_TOPOLOGY(4, 0, 0, 1, 0x30, 0xf0, 0xf0);
	expect_cache(7, 0, CACHE(1, DATA, 32, 8, 64, 7), 0x80);
	expect_cache(7, 2, CACHE(2, UNIFIED, 4096, 16, 4096, 3), 0xc0);
	expect_cache(7, 3, CACHE(3, UNIFIED, 16384, 16, 16384, 1), 0xf0);
	assert_false(arch_cache_leaf(7, 4, &(struct cache_leaf){ 0 }));
	cpumask_clear_cpu(6, &cpu_online_mask); /* it did not answer at boot */
	EXPECT_TOPOLOGY(7, 1, 0, 1, 0x80, 0xb0, 0xb0);
}

static void test_intel_with_two_dies_in_a_socket(void **state)
{
	static const struct answer skylake_server[] = {
		{ 0xb, 0, 0, 1, 0x100, 0 },  { 0xb, 1, 2, 4, 0x201, 0 },
		{ 0x1f, 0, 0, 1, 0x100, 0 }, { 0x1f, 1, 1, 2, 0x201, 0 },
		{ 0x1f, 2, 2, 4, 0x502, 0 }, { 0x1f, 3, 0, 0, 3, 0 },
		END,
	};

	(void)state;
	make_machine("GenuineIntel", 0x1f, 8, skylake_server);
	EXPECT_TOPOLOGY(3, 3, 1, 0, 0x08, 0x0c, 0x0f);
	EXPECT_TOPOLOGY(5, 1, 0, 1, 0x20, 0x30, 0xf0);
}

static void test_intel_without_the_extended_leaf(void **state)
{
	static const struct answer two_threads_of_two_cores[] = {
		{ 1, 0, 0, 4 << 16, 0, 0 },
		{ 4, 0, 1U << 26 | 1 << 5 | CACHE_DATA, 7U << 22 | 63, 63, 0 },
		END,
	};
	static const struct answer none[] = { END };

	(void)state;
	make_machine("GenuineIntel", 0xa, 4, two_threads_of_two_cores);
	set_feature(X86_FEATURE_HT);
	EXPECT_TOPOLOGY(3, 1, 0, 0, 0x0c, 0x0f, 0x0f);
	make_machine("GenuineIntel", 2, 2, none);
	EXPECT_TOPOLOGY(1, 0, 0, 1, 2, 2, 2);
	assert_false(arch_cache_leaf(1, 0, &(struct cache_leaf){ 0 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_amd_without_topoext_has_cores_in_one_package),
		cmocka_unit_test(test_amd_without_a_third_level_has_three_caches),
		cmocka_unit_test(test_amd_with_topoext_shares_what_its_own_leaf_says),
		cmocka_unit_test(test_intel_with_threads_and_sockets),
		cmocka_unit_test(test_intel_with_two_dies_in_a_socket),
		cmocka_unit_test(test_intel_without_the_extended_leaf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
