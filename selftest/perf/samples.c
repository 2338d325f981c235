/* Self-tests of what samples of perf tell: registers, physical addresses. */
#include "arch/cpu/irqflags.h"
#include "arch/cpu/ptrace.h"
#include "arch/unwind/perf_regs.h"
#include "arch/user/user_pgtable.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"
#include "trace/perf/perf_event.h"

SELFTEST(perf, registers_have_the_numbers_of_linux)
{
	const struct pt_regs regs = {
		.ax = 100,
		.bx = 101,
		.cx = 102,
		.dx = 103,
		.si = 104,
		.di = 105,
		.bp = 106,
		.sp = 107,
		.ip = 108,
		.flags = 109,
		.cs = 110,
		.ss = 111,
		.r8 = 116,
		.r9 = 117,
		.r10 = 118,
		.r11 = 119,
		.r12 = 120,
		.r13 = 121,
		.r14 = 122,
		.r15 = 123,
		.orig_ax = 99,
	};

	for (unsigned n = 0; n < PERF_REG_X86_64_MAX; n++)
		EXPECT_EQ(perf_reg_value(&regs, n),
			  n >= PERF_REG_X86_DS && n <= PERF_REG_X86_GS ? 0 : 100 + n);
}

/* Interrupts are off, as in a sample. */
static bool phys_of(unsigned long address, phys_addr_t *phys)
{
	unsigned long flags;
	bool found;

	local_irq_save(flags);
	found = user_virt_to_phys(current->mm, address, phys);
	local_irq_restore(flags);
	return found;
}

SELFTEST(perf, physical_address_is_that_of_the_page_in_the_table)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, 3 * PAGE_SIZE, 0);
	phys_addr_t phys = 0;

	ASSERT(mm);
	EXPECT_EQ(user_poke(addr + PAGE_SIZE, 1), 0);
	EXPECT(!phys_of(addr, &phys));
	EXPECT(!phys_of(addr + 512 * PAGE_SIZE * 512, &phys)); /* no table */
	EXPECT(!phys_of(~0UL, &phys));
	EXPECT(phys_of(addr + PAGE_SIZE + 77, &phys));
	EXPECT_EQ_HEX(phys, page_to_phys(pte_page(*user_pte(mm, addr + PAGE_SIZE))) + 77);
	test_mm_end(mm);
}
