/* Self-tests of the functions that touch user memory. The runner is a kernel task: its addresses
 * are of the kernel. selftest/arch/ring3.c tests the addresses of a program. */
#include "arch/cpu/irqflags.h"
#include "arch/cpu/special_insns.h"
#include "arch/irq/traps.h"
#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "selftest/selftest.h"

#define NON_CANONICAL ((void *)0x8000000000000000UL)
#define NOT_MAPPED    ((void *)0x1000UL)

#define FLAGS_AC (1UL << 18)

static bool has_smap(void)
{
	return read_cr4() & X86_CR4_SMAP;
}

/*
 * Without SMAP nothing closes it: an interrupt and the switch to another task keep the AC of a
 * program.
 */
static bool user_memory_is_open(void)
{
	unsigned long flags;

	__asm__ __volatile__("pushfq; popq %0" : "=r"(flags) : : "memory");
	return has_smap() && (flags & FLAGS_AC);
}

/* A page with nothing mapped behind it, filled with c. Returns its end, or NULL. */
static char *page_end(int c)
{
	char *page = vmalloc(PAGE_SIZE);

	if (page)
		memset(page, c, PAGE_SIZE);
	return page ? page + PAGE_SIZE : NULL;
}

static void free_page_end(char *end)
{
	vfree(end - PAGE_SIZE);
}

SELFTEST(uaccess, a_copy_says_how_many_bytes_are_missing)
{
	char *end = page_end('x'), buffer[64] = { 0 };

	ASSERT(end);
	for (unsigned there = 0; there < 40; there++) {
		memset(buffer, '#', sizeof(buffer));
		EXPECT_EQ(copy_from_user(buffer, end - there, 40), 40 - there);
		EXPECT(there == 0 || buffer[there - 1] == 'x');
		EXPECT_EQ(buffer[there], '#');
		EXPECT_EQ(copy_to_user(end - there, buffer, 40), 40 - there);
		EXPECT_EQ(clear_user(end - there, 40), 40 - there);
		EXPECT(there == 0 || (end[-1] == 0 && *(end - there) == 0));
		memset(end - 64, 'x', 64);
	}
	free_page_end(end);
	EXPECT_EQ(copy_from_user(buffer, NOT_MAPPED, 8), 8);
	EXPECT_EQ(copy_from_user(buffer, NON_CANONICAL, 64), 64);
	EXPECT_EQ(copy_to_user(NOT_MAPPED, buffer, 0), 0);
}

SELFTEST(uaccess, a_copy_closes_user_memory_also_after_a_fault)
{
	char *end = page_end('x'), buffer[64];

	ASSERT(end);
	for (unsigned n = 1; n < 20; n++) {
		EXPECT_EQ(copy_from_user(buffer, NOT_MAPPED, n), n);
		EXPECT(!user_memory_is_open());
		EXPECT_EQ(copy_to_user(end - 3, buffer, n + 3), n);
		EXPECT(!user_memory_is_open());
		EXPECT_EQ(copy_from_user(buffer, end - n, n), 0);
		EXPECT(!user_memory_is_open());
	}
	free_page_end(end);
}

SELFTEST(uaccess, strings_end_at_their_nul_at_n_or_at_a_fault)
{
	char *end = page_end('x'), buffer[64];

	ASSERT(end);
	for (unsigned length = 0; length < 30; length++) {
		char *string = end - length - 1;

		end[-1] = '\0';
		memset(buffer, '#', sizeof(buffer));
		EXPECT_EQ(strncpy_from_user(buffer, string, 64), length);
		EXPECT(strlen(buffer) == length && buffer[length + 1] == '#');
		EXPECT_EQ(strncpy_from_user(buffer, string, length + 1), length);
		EXPECT_EQ(strncpy_from_user(buffer, string, length), length);
		EXPECT_EQ(strnlen_user(string, 64), length + 1);
		EXPECT_EQ(strnlen_user(string, length + 1), length + 1);
		EXPECT(length == 0 || strnlen_user(string, length) > length);
		end[-1] = 'x';
		EXPECT_EQ(strncpy_from_user(buffer, string, 64), -EFAULT);
		EXPECT_EQ(strncpy_from_user(buffer, string, length + 1), length + 1);
		EXPECT_EQ(strnlen_user(string, 64), 0);
	}
	free_page_end(end);
}

SELFTEST(uaccess, single_variables_are_read_and_written)
{
	u64 quad = 0x8877665544332211, got;
	u8 byte;
	s16 word;
	const char *pointer = "text", *copy;

	EXPECT(get_user(got, &quad) == 0 && got == quad);
	EXPECT(get_user(byte, (u8 *)&quad) == 0 && byte == 0x11);
	EXPECT(get_user(word, (s16 *)&quad + 3) == 0 && word == (s16)0x8877);
	EXPECT(get_user(copy, &pointer) == 0 && copy == pointer);
	EXPECT(put_user(0xaa, (u8 *)&quad) == 0 && quad == 0x88776655443322aa);
	EXPECT(put_user(-1, (s16 *)&quad + 1) == 0 && quad == 0x88776655ffff22aa);
	EXPECT(put_user(7, &quad) == 0 && quad == 7);
	EXPECT(put_user(NULL, &pointer) == 0 && pointer == NULL);
	got = 1;
	EXPECT(get_user(got, (u64 *)NOT_MAPPED) == -EFAULT && got == 0);
	EXPECT_EQ(put_user(1, (u32 *)NON_CANONICAL), -EFAULT);
}

/* Preemption off: the switch to another task would load the mm. */
SELFTEST(uaccess, a_task_with_an_mm_may_pass_only_its_own_half)
{
	struct mm_struct *mm = current->mm;
	bool kernel, last, over, whole, wrap, kernel_task;
	char byte;

	preempt_disable();
	current->mm = (struct mm_struct *)test;
	kernel = access_ok(&byte, 1);
	last = access_ok((void *)(TASK_SIZE_MAX - 1), 1);
	over = access_ok((void *)(TASK_SIZE_MAX - 1), 2);
	whole = access_ok(NULL, TASK_SIZE_MAX);
	wrap = access_ok((void *)0x1000, ~0UL - 0x800);
	current->mm = mm;
	kernel_task = access_ok(&byte, 1);
	preempt_enable();
	EXPECT(!kernel && last && !over && whole && !wrap && kernel_task);
}

static unsigned long flags_in_handler;

static bool read_flags(struct pt_regs *regs __unused)
{
	__asm__ __volatile__("pushfq; popq %0" : "=r"(flags_in_handler));
	return true;
}

/* A program may set AC, which would open its memory in the handler. */
SELFTEST(uaccess, an_exception_closes_user_memory_and_its_return_opens_it_again)
{
	int3_handler_t usual;
	unsigned long after, flags;

	if (!has_smap()) {
		selftest_diag(test, "no SMAP");
		return;
	}
	local_irq_save(flags);
	usual = set_int3_handler(read_flags);
	__asm__ __volatile__("pushfq; orq %1, (%%rsp); popfq; int3; pushfq; popq %0; clac"
			     : "=r"(after)
			     : "i"(FLAGS_AC)
			     : "memory", "cc");
	set_int3_handler(usual);
	local_irq_restore(flags);
	EXPECT(!(flags_in_handler & FLAGS_AC));
	EXPECT(after & FLAGS_AC);
}
