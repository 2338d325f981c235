/* The vDSO: its functions with their version, its areas, and that it agrees with the system calls. */
#include "abi.h"

#include <elf.h>
#include <sched.h>
#include <sys/auxv.h>

static const char *base;

static const Elf64_Dyn *dynamic(void)
{
	const Elf64_Ehdr *ehdr = (const void *)base;
	const Elf64_Phdr *phdr = (const void *)(base + ehdr->e_phoff);

	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_DYNAMIC)
			return (const void *)(base + phdr[i].p_vaddr);
	return NULL;
}

static const void *entry(Elf64_Sxword tag)
{
	for (const Elf64_Dyn *d = dynamic(); d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == tag)
			return base + d->d_un.d_ptr;
	return NULL;
}

static const char *version_of(unsigned index, const char *strings)
{
	const Elf64_Verdef *def = entry(DT_VERDEF);

	for (;; def = (const void *)((const char *)def + def->vd_next)) {
		if (def->vd_ndx == (index & 0x7fff))
			return strings + ((const Elf64_Verdaux *)((const char *)def + def->vd_aux))->vda_name;
		if (!def->vd_next)
			return "?";
	}
}

/* The function, and a line about its type, binding and version. */
static void *find(const char *name)
{
	const Elf64_Sym *symbols = entry(DT_SYMTAB);
	const char *strings = entry(DT_STRTAB);
	const Elf64_Half *versions = entry(DT_VERSYM);
	const uint32_t *hash = entry(DT_HASH);

	for (uint32_t i = 0; i < hash[1]; i++) {
		if (strcmp(strings + symbols[i].st_name, name))
			continue;
		show("%s: type %d, binding %d, %s", name, ELF64_ST_TYPE(symbols[i].st_info),
		     ELF64_ST_BIND(symbols[i].st_info), version_of(versions[i], strings));
		return (void *)(base + symbols[i].st_value);
	}
	show("%s: none", name);
	return NULL;
}

static long ns(const struct timespec *ts)
{
	return ts->tv_sec * 1000000000L + ts->tv_nsec;
}

static int (*vdso_clock_gettime)(clockid_t, struct timespec *);
static int (*vdso_gettimeofday)(struct timeval *, void *);
static time_t (*vdso_time)(time_t *);
static long (*vdso_getcpu)(unsigned *, unsigned *, void *);
static int (*vdso_clock_getres)(clockid_t, struct timespec *);

static void clocks(void)
{
	static const struct {
		const char *name;
		clockid_t clock;
	} clocks[] = {
		{ "REALTIME", CLOCK_REALTIME },
		{ "MONOTONIC", CLOCK_MONOTONIC },
		{ "PROCESS", CLOCK_PROCESS_CPUTIME_ID },
		{ "THREAD", CLOCK_THREAD_CPUTIME_ID },
		{ "MONOTONIC_RAW", CLOCK_MONOTONIC_RAW },
		{ "BOOTTIME", CLOCK_BOOTTIME },
		{ "TAI", CLOCK_TAI },
	};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		struct timespec before, here, after;
		int in_order = 0;

		for (int n = 0; n < 100; n++) {
			syscall(SYS_clock_gettime, clocks[i].clock, &before);
			vdso_clock_gettime(clocks[i].clock, &here);
			syscall(SYS_clock_gettime, clocks[i].clock, &after);
			in_order += ns(&before) <= ns(&here) && ns(&here) <= ns(&after) && here.tv_nsec >= 0 &&
				    here.tv_nsec < 1000000000;
		}
		show("%s: %d of 100 in order", clocks[i].name, in_order);
	}
	show("bad clock: %d", vdso_clock_gettime(12345, &(struct timespec){ 0 }));
	show("bad clock: %d", vdso_clock_gettime(-1, &(struct timespec){ 0 }));
}

static void others(void)
{
	struct timespec res = { 5, 5 };
	int result = vdso_clock_getres(CLOCK_MONOTONIC, &res);
	struct timeval tv;
	unsigned cpu, node;
	time_t at;

	show("getres %d, %ld.%ld", result, (long)res.tv_sec, res.tv_nsec);
	show("gettimeofday %d", vdso_gettimeofday(&tv, NULL));
	show("gettimeofday of nothing %d", vdso_gettimeofday(NULL, NULL));
	TRUTH(tv.tv_usec >= 0 && tv.tv_usec < 1000000);
	TRUTH(vdso_time(&at) == at);
	TRUTH(vdso_time(NULL) - tv.tv_sec < 2);
	for (int i = 0; i < 2; i++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(i, &set);
		sched_setaffinity(0, sizeof(set), &set);
		show("getcpu %ld", vdso_getcpu(&cpu, &node, NULL));
		show("on %u of node %u", cpu, node);
		show("nothing: %ld", vdso_getcpu(NULL, NULL, NULL));
	}
}

/* The areas by name, with their rights, and what mprotect(2) allows. */
static void areas(void)
{
	unsigned long vvar = 0, begin = 0, end = 0, size;
	char line[256], rights[5];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (fgets(line, sizeof(line), maps)) {
		if (strstr(line, "[vvar]")) {
			sscanf(line, "%lx-%lx %4s", &vvar, &end, rights);
			show("[vvar] %s", rights);
		}
		if (strstr(line, "[vdso]")) {
			sscanf(line, "%lx-%lx %4s", &begin, &end, rights);
			show("[vdso] %s, at AT_SYSINFO_EHDR: %d", rights, (const char *)begin == base);
		}
	}
	fclose(maps);
	size = end - begin; /* the kernel splits no such area */
	CALL(mprotect((void *)vvar, 4096, PROT_READ | PROT_WRITE));
	CALL(mprotect((void *)base, size, PROT_READ | PROT_WRITE | PROT_EXEC));
	*(volatile char *)(base + 1) = 'e';
	show("own copy: %.3s", base + 1);
	*(volatile char *)(base + 1) = 'E';
	CALL(mprotect((void *)base, size, PROT_READ | PROT_EXEC));
}

static void child_sees_original(void)
{
	show("child: %.3s, %d", base + 1, vdso_clock_gettime(CLOCK_MONOTONIC, &(struct timespec){ 0 }));
}

int main(void)
{
	base = (const char *)getauxval(AT_SYSINFO_EHDR);
	TRUTH(base != NULL && !((unsigned long)base & 4095));
	TRUTH(!memcmp(base, ELFMAG, SELFMAG));
	show("type %d, machine %d", ((const Elf64_Ehdr *)base)->e_type, ((const Elf64_Ehdr *)base)->e_machine);
	vdso_clock_gettime = find("__vdso_clock_gettime");
	vdso_gettimeofday = find("__vdso_gettimeofday");
	vdso_time = find("__vdso_time");
	vdso_getcpu = find("__vdso_getcpu");
	vdso_clock_getres = find("__vdso_clock_getres");
	find("clock_gettime");
	find("getcpu");
	find("main");
	clocks();
	others();
	areas();
	CHILD(child_sees_original);
	return 0;
}
