/* Self-tests of the page tables: no page is writable and executable, and no TLB entry is stale. */
#include "arch/irq/ring3.h"
#include "arch/mm/pgtable.h"
#include "fs/vfs/hooks.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/module_ops.h"
#include "kernel/sched/sched.h"
#include "kernel/sections.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/task/program.h"
#include "selftest/lib/on_cpus.h"
#include "selftest/selftest.h"
#include "kernel/smp.h"

#define TEST_ADDRESS (VMALLOC_END - (64UL << 20)) /* vmalloc() begins at the other end */
#define TEST_TEXT    (TEXT_AREA_END - PAGE_SIZE)
#define REMAP_ROUNDS 20

static bool is_writable(unsigned long addr)
{
	unsigned long size;
	const u64 *entry = lookup_address(addr, &size);

	return entry && (*entry & _PAGE_RW);
}

SELFTEST(memory_protection, no_page_is_writable_and_executable)
{
	EXPECT_EQ(page_table_count_wx(), 0);
}

SELFTEST(memory_protection, lower_half_is_empty)
{
	struct page_table_range range;

	ASSERT(page_table_next_range(0, &range));
	EXPECT(range.start >= PAGE_OFFSET);
}

SELFTEST(memory_protection, text_and_rodata_are_not_writable_through_the_direct_map)
{
	unsigned writable = 0;

	for (char *p = _stext; p < __end_rodata; p += PAGE_SIZE)
		if (is_writable((unsigned long)p) || is_writable((unsigned long)__va(__pa(p))))
			writable++;
	EXPECT_EQ(writable, 0);
}

SELFTEST(memory_protection, what_features_register_is_not_writable_after_the_boot)
{
	const void *const registered[] = { &ring3_ops,  &program_ops, &sched_ops,
					   &module_ops, &vfs_hooks,   sys_call_table };
	unsigned writable = 0;

	for (char *p = __start_ro_after_init; p < __end_ro_after_init; p += PAGE_SIZE)
		if (is_writable((unsigned long)p) || is_writable((unsigned long)__va(__pa(p))))
			writable++;
	EXPECT_EQ(writable, 0);
	for (unsigned i = 0; i < ARRAY_SIZE(registered); i++)
		EXPECT(registered[i] >= (void *)__start_ro_after_init &&
		       registered[i] < (void *)__end_ro_after_init);
}

SELFTEST(memory_protection, direct_map_leaves_memory_that_is_no_ram_alone)
{
	unsigned long size;

	EXPECT(lookup_address((unsigned long)__va(0xa0000), &size) == NULL);    /* VGA */
	EXPECT(lookup_address((unsigned long)__va(0xfee00000), &size) == NULL); /* local APIC */
}

SELFTEST(memory_protection, stack_has_a_guard_page_below)
{
	const char *stack = current->stack;

	EXPECT(is_stack_guard(stack - 1));
	EXPECT(!is_stack_guard(stack));
	EXPECT_EQ(kernel_virt_to_phys((unsigned long)stack - 1), ~0UL);
	EXPECT_EQ(kernel_virt_to_phys((unsigned long)boot_stack - 1), ~0UL);
}

SELFTEST(memory_protection, executable_mapping_is_refused_while_writable)
{
	void *page = get_free_page(GFP_KERNEL);

	ASSERT(page);
	EXPECT_EQ(map_kernel_page(TEST_TEXT, __pa(page), PAGE_KERNEL_ROX), -EPERM);
	ASSERT(map_kernel_page(TEST_TEXT, __pa(page), PAGE_KERNEL) == 0);
	EXPECT_EQ(map_kernel_page(TEST_TEXT, __pa(page), PAGE_KERNEL), -EEXIST);
	EXPECT_EQ(set_memory_x(TEST_TEXT, 1), -EPERM);
	EXPECT_EQ(set_memory_x((unsigned long)page, 1), -EPERM);
	EXPECT_EQ(set_memory_rw((unsigned long)_stext, 1), -EPERM);
	unmap_kernel_range(TEST_TEXT, TEST_TEXT + PAGE_SIZE);
	EXPECT(!is_writable((unsigned long)_stext));
	set_memory_rw((unsigned long)page, 1);
	free_page(page);
}

SELFTEST(memory_protection, code_is_written_before_and_run_after_its_page_turns_executable)
{
	static const u8 code[] = { 0xb8, 42, 0, 0, 0, 0xc3 }; /* mov eax, 42; ret */
	int (*function)(void) = (int (*)(void))TEST_TEXT;
	void *page = get_free_page(GFP_KERNEL);

	ASSERT(page);
	memcpy(page, code, sizeof(code));
	ASSERT(map_kernel_page(TEST_TEXT, __pa(page), PAGE_KERNEL_RO) == 0);
	EXPECT(is_writable((unsigned long)page));
	ASSERT(set_memory_x(TEST_TEXT, 1) == 0);
	EXPECT(!is_writable((unsigned long)page));
	EXPECT_EQ(page_table_count_wx(), 0);
	EXPECT_EQ(function(), 42);
	EXPECT(set_memory_nx(TEST_TEXT, 1) == 0);
	EXPECT(is_writable((unsigned long)page));
	unmap_kernel_range(TEST_TEXT, TEST_TEXT + PAGE_SIZE);
	EXPECT_EQ(kernel_virt_to_phys(TEST_TEXT), ~0UL);
	free_page(page);
}

/* Every CPU must read the page that was mapped at TEST_ADDRESS last. */
struct remap_test {
	u64 expected;
	atomic_t stale;
};

static void read_test_page(void *info)
{
	struct remap_test *t = info;

	if (READ_ONCE(*(u64 *)TEST_ADDRESS) != t->expected)
		atomic_inc(&t->stale);
}

SELFTEST(memory_protection, every_cpu_sees_a_page_that_was_mapped_anew)
{
	u64 *pages[2] = { get_free_page(GFP_KERNEL), get_free_page(GFP_KERNEL) };
	struct remap_test t = { .stale = ATOMIC_INIT(0) };

	if (pages[0] && pages[1]) {
		*pages[0] = 1000;
		*pages[1] = 1001;
		for (unsigned i = 0; i < REMAP_ROUNDS; i++) {
			t.expected = *pages[i % 2];
			EXPECT(map_kernel_page(TEST_ADDRESS, __pa(pages[i % 2]), PAGE_KERNEL) == 0);
			on_each_cpu(read_test_page, &t, true);
			unmap_kernel_range(TEST_ADDRESS, TEST_ADDRESS + PAGE_SIZE);
		}
	}
	EXPECT_EQ(atomic_read(&t.stale), 0);
	free_page(pages[0]);
	free_page(pages[1]);
}

/* Each CPU maps and unmaps pages at its own address, and checks the data that it reads. */
static void map_and_unmap(void *info)
{
	unsigned long addr = TEST_ADDRESS + (1 + smp_processor_id()) * PAGE_SIZE;
	atomic_t *wrong = info;
	u64 *page = get_free_page(GFP_KERNEL);

	if (!page) {
		atomic_inc(wrong);
		return;
	}
	for (u64 i = 0; i < REMAP_ROUNDS; i++) {
		*page = i;
		if (map_kernel_page(addr, __pa(page), PAGE_KERNEL_RO) ||
		    READ_ONCE(*(u64 *)addr) != i)
			atomic_inc(wrong);
		unmap_kernel_range(addr, addr + PAGE_SIZE);
	}
	free_page(page);
}

SELFTEST(memory_protection, flushes_from_all_cpus_at_once_all_end)
{
	atomic_t wrong = ATOMIC_INIT(0);

	ASSERT(run_on_cpus(map_and_unmap, &wrong) == 0);
	EXPECT_EQ(atomic_read(&wrong), 0);
}

SELFTEST(memory_protection, splitting_a_large_page_keeps_its_contents)
{
	/*
	 * Blocks of 1 MiB, because not every machine has a free large page. The rights change page
	 * by page.
	 */
	u64 *block = get_free_pages(GFP_KERNEL, 8);
	const size_t words = (PAGE_SIZE << 8) / sizeof(u64);
	unsigned wrong = 0;

	ASSERT(block);
	for (size_t i = 0; i < words; i++)
		block[i] = i;
	EXPECT(set_memory_ro((unsigned long)block + PAGE_SIZE, 3) == 0);
	EXPECT(is_writable((unsigned long)block));
	EXPECT(!is_writable((unsigned long)block + PAGE_SIZE));
	EXPECT(!is_writable((unsigned long)block + 3 * PAGE_SIZE));
	EXPECT(is_writable((unsigned long)block + 4 * PAGE_SIZE));
	for (size_t i = 0; i < words; i++)
		wrong += block[i] != i;
	EXPECT_EQ(wrong, 0);
	EXPECT(set_memory_rw((unsigned long)block + PAGE_SIZE, 3) == 0);
	free_pages_addr(block, 8);
}
