/* Self-tests: the data of system calls are copied from pages that are there, and from no others. */
#include "arch/mm/uaccess.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"
#include "trace/events/syscalls.h"

static const struct syscall_data text = { .mask = 0b10, .is_text = true };
static const struct syscall_data bytes = { .mask = 0b10, .length_arg = 2 };

/* The length of the copy of args[1], with at most 63 bytes. */
static unsigned copied(const struct syscall_data *data, unsigned long addr, unsigned long length)
{
	const unsigned long args[SYSCALL_ARGS_MAX] = { 0, addr, length };
	struct syscall_copy copy;

	syscall_data_copy(&copy, data, args, SYSCALL_DATA_DEFAULT);
	return copy.count == 1 ? copy.lengths[0] : ~0U;
}

static void bring_in(const struct syscall_data *data, unsigned long addr, unsigned long length)
{
	const unsigned long args[SYSCALL_ARGS_MAX] = { 0, addr, length };

	syscall_data_read(data, args);
}

SELFTEST(syscall_data, a_page_that_is_not_there_is_brought_in_before_the_probe)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, 4 * PAGE_SIZE, 0);

	ASSERT(mm);
	EXPECT_EQ(copied(&text, addr, 0), 0);
	bring_in(&text, addr, 0);
	EXPECT_EQ(copied(&text, addr, 0), 1); /* the NUL */
	/* The bytes lie in two pages. */
	EXPECT_EQ(copied(&bytes, addr + 2 * PAGE_SIZE - 1, 2), 0);
	bring_in(&bytes, addr + 2 * PAGE_SIZE - 1, 2);
	EXPECT_EQ(copied(&bytes, addr + 2 * PAGE_SIZE - 1, 2), 2);
	/* A text that ends in its page brings in no other one. */
	EXPECT_EQ(user_poke(addr + 3 * PAGE_SIZE - 2, 'x'), 0);
	bring_in(&text, addr + 3 * PAGE_SIZE - 2, 0);
	EXPECT_EQ(copied(&text, addr + 3 * PAGE_SIZE - 2, 0), 2);
	EXPECT_EQ(copied(&text, addr + 3 * PAGE_SIZE, 0), 0);
	test_mm_end(mm);
}

SELFTEST(syscall_data, memory_that_the_program_does_not_have_is_not_recorded)
{
	static const char of_kernel[] = "secret";
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0), end = addr + PAGE_SIZE;
	unsigned long no_memory[] = {
		0, 8, end, TASK_SIZE_MAX - 1, ~0UL, (unsigned long)of_kernel
	};

	ASSERT(mm);
	EXPECT_EQ(user_poke(end - 1, 'x'), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(no_memory); i++) {
		bring_in(&text, no_memory[i], 0);
		bring_in(&bytes, no_memory[i], 7);
		EXPECT_EQ(copied(&text, no_memory[i], 0), 0);
		EXPECT_EQ(copied(&bytes, no_memory[i], 7), 0);
	}
	/* The text has no end, the bytes reach beyond it. */
	EXPECT_EQ(copied(&text, end - 1, 0), 0);
	EXPECT_EQ(copied(&bytes, end - 1, 2), 0);
	EXPECT_EQ(copied(&bytes, end - 1, ~0UL), 0);
	EXPECT_EQ(copied(&bytes, end - 1, 1), 1);
	EXPECT_EQ(copied(&bytes, end - 1, 0), 0);
	test_mm_end(mm);
}
