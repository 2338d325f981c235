/*
 * The topology of CPUs and caches. See topology.h.
 *
 * CPUs that share something differ only in the low bits of their APIC IDs. CPUID tells how many
 * bits that are. All CPUs of a machine tell the same, so any of them can be asked.
 */
#include "arch/cpu/topology.h"

#include "arch/boot/cpuinfo.h"
#include "arch/cpu/special_insns.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/string.h"

struct cpuid_leaf {
	u32 eax, ebx, ecx, edx;
};

static struct cpuid_leaf read_leaf(u32 leaf, u32 subleaf)
{
	struct cpuid_leaf l;

	cpuid(leaf, subleaf, &l.eax, &l.ebx, &l.ecx, &l.edx);
	return l;
}

/* Returns how many bits count up to n. */
static u32 bits_for(u32 n)
{
	return n > 1 ? fls64(n - 1) : 0;
}

/* AMD's CPUs without this feature describe only what they had before it, in leaves of their own. */
static bool is_old_amd(void)
{
	return strcmp(cpu_data(0)->vendor, "AuthenticAMD") == 0 && !cpu_has(X86_FEATURE_TOPOEXT);
}

static bool has_extended_leaf(u32 leaf)
{
	return read_leaf(0x80000000, 0).eax >= leaf;
}

static u32 siblings(unsigned cpu, u32 shift, struct cpumask *cpus)
{
	u32 id = cpu_data(cpu)->apic_id >> shift;
	unsigned other;

	cpumask_clear(cpus);
	for_each_online_cpu (other)
		if (cpu_data(other)->apic_id >> shift == id)
			cpumask_set_cpu(other, cpus);
	return id;
}

/* ---- cores, dies, packages ---- */

/* Reads the extended topology, version 2 (0x1f) or 1 (0xb): each subleaf is a level. */
static bool read_extended(u32 leaf, u32 shifts[NR_TOPOLOGY_LEVELS])
{
	enum { LEVEL_SMT = 1, LEVEL_DIE = 5 };
	struct cpuid_leaf l;
	u32 type;

	if (cpu_data(0)->cpuid_level < leaf)
		return false;
	l = read_leaf(leaf, 0);
	type = (l.ecx >> 8) & 0xff;
	if (!(l.ebx & 0xffff) || type != LEVEL_SMT)
		return false;
	shifts[TOPOLOGY_CORE] = l.eax & 31;
	for (u32 i = 1; type; i++) {
		if (type < LEVEL_DIE)
			shifts[TOPOLOGY_DIE] = l.eax & 31;
		shifts[TOPOLOGY_PACKAGE] = l.eax & 31;
		l = read_leaf(leaf, i);
		type = (l.ecx >> 8) & 0xff;
	}
	return true;
}

/* Finds for each level how many low bits of an APIC ID tell CPUs of one core, … apart. */
static void read_shifts(u32 shifts[NR_TOPOLOGY_LEVELS])
{
	u32 cores = 1, threads = 1, bits = 0;

	memset(shifts, 0, NR_TOPOLOGY_LEVELS * sizeof(shifts[0]));
	if (is_old_amd()) {
		if (has_extended_leaf(0x80000008)) {
			u32 ecx = read_leaf(0x80000008, 0).ecx;

			bits = (ecx >> 12) & 15;
			if (!bits)
				bits = bits_for((ecx & 0xff) + 1);
		}
	} else {
		if (read_extended(0x1f, shifts) || read_extended(0xb, shifts))
			return;
		if (cpu_has(X86_FEATURE_HT))
			threads = max((read_leaf(1, 0).ebx >> 16) & 0xff, 1U);
		if (cpu_data(0)->cpuid_level >= 4)
			cores = (read_leaf(4, 0).eax >> 26) + 1;
		bits = bits_for(threads);
		shifts[TOPOLOGY_CORE] = bits_for(threads / cores);
	}
	shifts[TOPOLOGY_DIE] = bits;
	shifts[TOPOLOGY_PACKAGE] = bits;
}

void arch_cpu_topology(unsigned cpu, struct cpu_topology *topology)
{
	u32 shifts[NR_TOPOLOGY_LEVELS], in_package;

	read_shifts(shifts);
	for (unsigned level = 0; level < NR_TOPOLOGY_LEVELS; level++)
		topology->id[level] = siblings(cpu, shifts[level], &topology->cpus[level]);
	in_package = (1U << shifts[TOPOLOGY_PACKAGE]) - 1;
	topology->id[TOPOLOGY_CORE] &= in_package >> shifts[TOPOLOGY_CORE];
	topology->id[TOPOLOGY_DIE] &= in_package >> shifts[TOPOLOGY_DIE];
}

/* ---- caches ---- */

/* The leaves 0x80000005 (level 1) and 0x80000006: each cache is one register. */
static bool read_old_amd(unsigned cpu, unsigned index, struct cache_leaf *leaf)
{
	/* What the four bits for the ways of a cache of level 2 or 3 say. */
	static const u16 ways[16] = { 0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0xffff };
	u32 shifts[NR_TOPOLOGY_LEVELS] = { 0 };
	struct cpuid_leaf l1, l2;
	u32 value;

	if (index > 3 || !has_extended_leaf(0x80000006))
		return false;
	l1 = read_leaf(0x80000005, 0);
	l2 = read_leaf(0x80000006, 0);
	value = (u32[]){ l1.ecx, l1.edx, l2.ecx, l2.edx }[index];
	leaf->line_size = value & 0xff;
	if (index < 2) {
		leaf->level = 1;
		leaf->type = index == 0 ? CACHE_DATA : CACHE_INSTRUCTION;
		leaf->partitions = (value >> 8) & 0xff;
		leaf->ways = (value >> 16) & 0xff;
		leaf->size = (value >> 24) * 1024;
	} else {
		leaf->level = index;
		leaf->type = CACHE_UNIFIED;
		leaf->partitions = (value >> 8) & 15;
		leaf->ways = ways[(value >> 12) & 15];
		leaf->size = index == 2 ? (value >> 16) * 1024 : (value >> 18) * 512 * 1024;
	}
	if (!leaf->line_size || !leaf->ways)
		return false;
	leaf->sets = leaf->size / leaf->line_size / leaf->ways;
	/* CPUID does not say who shares a cache. A package has one of level 3. */
	if (index == 3)
		read_shifts(shifts);
	leaf->id = cpu_data(cpu)->apic_id; /* as in Linux, also of level 3 */
	siblings(cpu, shifts[TOPOLOGY_PACKAGE], &leaf->cpus);
	return true;
}

bool arch_cache_leaf(unsigned cpu, unsigned index, struct cache_leaf *leaf)
{
	struct cpuid_leaf l;

	if (is_old_amd())
		return read_old_amd(cpu, index, leaf);
	if (cpu_has(X86_FEATURE_TOPOEXT))
		l = read_leaf(0x8000001d, index);
	else if (cpu_data(0)->cpuid_level >= 4)
		l = read_leaf(4, index);
	else
		return false;
	leaf->type = l.eax & 31;
	leaf->level = (l.eax >> 5) & 7;
	leaf->line_size = (l.ebx & 0xfff) + 1;
	leaf->partitions = ((l.ebx >> 12) & 0x3ff) + 1;
	leaf->ways = (l.ebx >> 22) + 1;
	leaf->sets = l.ecx + 1;
	leaf->size = leaf->line_size * leaf->partitions * leaf->ways * leaf->sets;
	leaf->id = siblings(cpu, bits_for(((l.eax >> 14) & 0xfff) + 1), &leaf->cpus);
	return leaf->type >= CACHE_DATA && leaf->type <= CACHE_UNIFIED;
}
