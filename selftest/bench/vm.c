/*
 * Benchmarks of user memory: the file /sys/kernel/debug/vm_bench. A kernel task borrows an
 * address space, so each figure is that of the kernel alone, without a program's entry and exit.
 */
#include "arch/time/clock.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/threads.h"
#include "selftest/lib/user_memory.h"

#define PAGES      200
#define MAP_ROUNDS 200
#define FORKS      20
#define FORK_PAGES 40

static void show(struct seq_file *m, const char *what, u64 ticks, unsigned count)
{
	seq_printf(m, "%s: %llu each\n", what, (unsigned long long)(ticks / count));
}

static u64 touch(unsigned long addr, unsigned pages, bool write)
{
	u64 start = arch_cycles();

	for (unsigned i = 0; i < pages; i++) {
		if (write)
			(void)user_poke(addr + i * PAGE_SIZE, 1);
		else
			(void)user_peek(addr + i * PAGE_SIZE);
	}
	return arch_cycles() - start;
}

static u64 map_and_unmap(bool write)
{
	u64 start = arch_cycles();

	for (unsigned i = 0; i < MAP_ROUNDS; i++) {
		unsigned long addr = test_mmap(0, PAGE_SIZE, 0);

		if (write)
			(void)user_poke(addr, 1);
		(void)vm_munmap(addr, PAGE_SIZE);
	}
	return arch_cycles() - start;
}

static void measure(void *arg, unsigned index __unused)
{
	struct mm_struct *mm = test_mm_begin(), *children[FORKS];
	unsigned long addr, neighbour;
	u64 start, fork, fault, copy;
	struct seq_file *m = arg;

	if (!mm)
		return;
	addr = test_mmap(0, PAGES * PAGE_SIZE, 0);
	neighbour = test_mmap(0, PAGE_SIZE, MAP_SHARED); /* keeps the page tables */
	(void)user_poke(neighbour, 1);
	fault = touch(addr, PAGES, true);
	show(m, "fault, anonymous, write", fault - touch(addr, PAGES, true), PAGES);
	(void)vm_munmap(addr + FORK_PAGES * PAGE_SIZE, (PAGES - FORK_PAGES) * PAGE_SIZE);
	start = arch_cycles();
	for (unsigned i = 0; i < FORKS; i++)
		children[i] = dup_mm(mm);
	fork = arch_cycles() - start;
	show(m, "dup_mm of 40 pages", fork, FORKS);
	copy = touch(addr, FORK_PAGES, true);
	show(m, "fault, copy on write", copy - touch(addr, FORK_PAGES, true), FORK_PAGES);
	start = arch_cycles();
	for (unsigned i = 0; i < FORKS; i++)
		if (children[i])
			mmput(children[i]);
	show(m, "mmput of 40 pages", arch_cycles() - start, FORKS);
	show(m, "mmap + munmap", map_and_unmap(false), MAP_ROUNDS);
	show(m, "mmap + write + munmap", map_and_unmap(true), MAP_ROUNDS);
	test_mm_end(mm);
}

/* A program that reads the file has an address space of its own, so it cannot borrow one. */
static int vm_show(struct seq_file *m, void *v __unused)
{
	return run_threads(1, ANY_CPU, measure, m) ? 0 : -ENOMEM;
}
DEFINE_SHOW_ATTRIBUTE(vm);

static int vm_bench_init(void)
{
	debugfs_create_file("vm_bench", 0444, NULL, NULL, &vm_fops);
	return 0;
}
device_initcall(vm_bench_init);
