/* Self-tests of reading memory that may not be there. */
#include "arch/cpu/irqflags.h"
#include "arch/unwind/maccess.h"
#include "arch/cpu/percpu.h"
#include "arch/irq/traps.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/sched/sched.h"
#include "selftest/selftest.h"

#define NON_CANONICAL 0x8000000000000000UL
#define USER_ADDRESS  0x1000UL

/* Reads the string with room for size bytes, in a buffer with a mark behind these bytes. */
static long read_string(char buffer[64], unsigned long address, size_t size)
{
	memset(buffer, '#', 64);
	return strncpy_from_kernel_nofault(buffer, (const void *)address, size);
}

SELFTEST(maccess, strings_are_copied_and_cut)
{
	unsigned long hello = (unsigned long)"hello";
	char buffer[64];

	EXPECT_EQ(read_string(buffer, hello, 64), 6);
	EXPECT(!strcmp(buffer, "hello") && buffer[6] == '#');
	EXPECT_EQ(read_string(buffer, hello, 6), 6);
	EXPECT(!strcmp(buffer, "hello") && buffer[6] == '#');
	EXPECT_EQ(read_string(buffer, hello, 5), 5);
	EXPECT(!strcmp(buffer, "hell") && buffer[5] == '#');
	EXPECT_EQ(read_string(buffer, hello, 1), 1);
	EXPECT(!strcmp(buffer, "") && buffer[1] == '#');
	EXPECT_EQ(read_string(buffer, hello + 5, 64), 1);
}

SELFTEST(maccess, bytes_are_copied)
{
	char buffer[8] = "#######";
	u64 value = 0x1122334455667788;

	EXPECT_EQ(copy_from_kernel_nofault(buffer, "ab\0cd", 5), 0);
	EXPECT(!memcmp(buffer, "ab\0cd##", 8));
	EXPECT_EQ(copy_from_kernel_nofault(buffer, &value, 8), 0);
	EXPECT(!memcmp(buffer, &value, 8));
	EXPECT_EQ(copy_from_kernel_nofault(buffer, (const void *)NON_CANONICAL, 1), -EFAULT);
	EXPECT_EQ(copy_from_kernel_nofault(buffer, (const void *)USER_ADDRESS, 1), -EFAULT);
}

static void expect_faults(struct selftest *test)
{
	bool irqs_were_off = irqs_disabled();
	char buffer[64];

	EXPECT_EQ(read_string(buffer, 0, 64), -EFAULT);
	EXPECT_EQ(read_string(buffer, USER_ADDRESS, 64), -EFAULT);
	EXPECT_EQ(read_string(buffer, NON_CANONICAL, 64), -EFAULT);
	EXPECT_EQ(read_string(buffer, ~0UL, 64), -EFAULT);
	EXPECT_EQ(strncpy_from_user_nofault(buffer, (const void *)NON_CANONICAL, 64), -EFAULT);
	EXPECT_EQ(strncpy_from_user_nofault(buffer, (const void *)USER_ADDRESS, 64), -EFAULT);
	EXPECT_EQ(irqs_disabled(), irqs_were_off);
}

SELFTEST(maccess, bad_addresses_give_an_error)
{
	expect_faults(test);
}

SELFTEST(maccess, a_string_that_ends_in_no_page_gives_an_error)
{
	char *page = vmalloc(PAGE_SIZE), buffer[64];
	unsigned long end = (unsigned long)page + PAGE_SIZE;

	ASSERT(page);
	memset(page, 'x', PAGE_SIZE);
	EXPECT_EQ(read_string(buffer, end - 8, 8), 8);
	EXPECT(!strcmp(buffer, "xxxxxxx"));
	EXPECT_EQ(read_string(buffer, end - 8, 64), -EFAULT);
	vfree(page);
}

/* The fault's return must not use IRET: arch/irq/entry.asm chooses the way by nmi_running. */
SELFTEST(maccess, faults_in_an_nmi_give_an_error)
{
	unsigned long flags;

	local_irq_save(flags);
	nmi_enter();
	this_cpu_inc(nmi_running);
	expect_faults(test);
	this_cpu_dec(nmi_running);
	nmi_exit();
	local_irq_restore(flags);
}
