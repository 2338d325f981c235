/*
 * Self-tests of user events (trace/user_events/): what a format may say, which payloads are valid,
 * and when and where bits in the memory of programs are written. The test borrows an address space;
 * calls of a program on the files are in tests/boot/test_user_events.py.
 */
#include "trace/user_events/internal.h"

#include "arch/cpu/linkage.h"
#include "fs/file/uio.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"
#include "kernel/vm/writable_page.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/entries.h"

#define ENABLE "events/user_events/ue/enable"

long sys_mprotect(unsigned long start, size_t len, unsigned long prot) SYSCALL_SYMBOL(mprotect);

/* The size of the payload that a format asks for; a negative errno: it is refused. */
static const struct {
	const char *text;
	int size;
} formats[] = {
	{ "", 0 },
	{ ";; ;", 0 },
	{ "u8 a", 1 },
	{ "u8 a;", 1 },
	{ "s64 a; unsigned short b;char c", 11 },
	{ "char[1024] a;unsigned char[0x10] b", 1040 },
	{ "__data_loc unsigned char[] a;__rel_loc u32[] b", 8 },
	{ "struct s a 20; u16 b", 22 },
	{ "struct s a 60000", 60000 },
	{ "a", -EINVAL },
	{ "u8", -EINVAL },
	{ "u8 ", -EINVAL },
	{ "u8 a ", -EINVAL },
	{ "u8  a", -EINVAL },
	{ "u8 a 1", -EINVAL },
	{ "u8 1a", -EINVAL },
	{ "u8 a\"b", -EINVAL },
	{ "u8 a,u8 b", -EINVAL },
	{ "long a", -EINVAL },
	{ "unsigned long a", -EINVAL },
	{ "void a", -EINVAL },
	{ "char* a", -EINVAL },
	{ "char[] a", -EINVAL },
	{ "char[0] a", -EINVAL },
	{ "char[1025] a", -EINVAL },
	{ "char[-1] a", -EINVAL },
	{ "char[4 a", -EINVAL },
	{ "char[0000004] a", -EINVAL },
	{ "struct s a", -EINVAL },
	{ "struct s a 0", -EINVAL },
	{ "struct s a -1", -EINVAL },
	{ "struct s a 4294967295", -EINVAL },
	{ "struct s a 18446744073709551615", -EINVAL },
	{ "struct a 4", -EINVAL },
	{ "struct s a 65535", -EINVAL },
	{ "struct s a 40000; struct s b 40000", -EINVAL },
	{ "__data_loc a", -EINVAL },
	{ "__rel_loc %s[] a", -EINVAL },
};

SELFTEST(user_events, what_a_format_may_say)
{
	for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
		struct user_event_format format;
		int size = user_event_format_parse(formats[i].text, &format);

		if (!size)
			size = (int)format.size;
		if (size != formats[i].size)
			selftest_diag(test, "\"%s\": %d, not %d", formats[i].text, size,
				      formats[i].size);
		EXPECT(size == formats[i].size);
		if (size >= 0)
			user_event_format_free(&format);
	}
}

/* A payload of "__data_loc char[] a; __rel_loc char[] b; __rel_loc u16[] c": words, and 4 bytes. */
struct loc_payload {
	u32 a, b, c;
	char data[4];
};

#define LOC(offset, size) ((u32)(size) << 16 | (offset))
#define DATA_AT           (sizeof(struct trace_entry) + offsetof(struct loc_payload, data))
#define A_OK              LOC(DATA_AT, 2)
#define B_OK              LOC(4, 2) /* c is between */
#define C_OK              LOC(0, 0)

static const struct {
	u32 a, b, c;
	bool valid;
} locs[] = {
	{ A_OK, LOC(6, 2), C_OK, true },
	{ A_OK, B_OK, C_OK, true },
	{ LOC(DATA_AT, 4), LOC(4, 4), LOC(0, 4), true },
	{ LOC(DATA_AT, 1), B_OK, C_OK, false }, /* no NUL at the end */
	{ LOC(DATA_AT, 0), B_OK, C_OK, false }, /* not even a NUL */
	{ LOC(0, 0), B_OK, C_OK, false },
	{ LOC(7, 1), B_OK, C_OK, false },       /* in the head */
	{ LOC(DATA_AT, 5), B_OK, C_OK, false }, /* a byte too long */
	{ LOC(DATA_AT + 3, 2), B_OK, C_OK, false },
	{ LOC(0xffff, 0xffff), B_OK, C_OK, false },
	{ A_OK, LOC(4, 5), C_OK, false },
	{ A_OK, LOC(5, 4), C_OK, false },
	{ A_OK, LOC(0xffff, 1), C_OK, false },
	{ A_OK, LOC(4, 0), C_OK, false },
	{ A_OK, B_OK, LOC(0, 5), false },
	{ A_OK, B_OK, LOC(4, 1), false },
};

SELFTEST(user_events, strings_and_arrays_lie_in_the_payload)
{
	struct user_event_format format;

	ASSERT(user_event_format_parse("__data_loc char[] a; __rel_loc char[] b; __rel_loc u16[] c",
				       &format) == 0);
	for (unsigned i = 0; i < ARRAY_SIZE(locs); i++) {
		struct loc_payload payload = {
			locs[i].a, locs[i].b, locs[i].c, { 'x', 0, 'y', 0 }
		};

		if (user_event_format_valid(&format, &payload, sizeof(payload)) != locs[i].valid)
			selftest_diag(test, "payload %u", i);
		EXPECT(user_event_format_valid(&format, &payload, sizeof(payload)) ==
		       locs[i].valid);
	}
	user_event_format_free(&format);
}

/* ---- bits ---- */

static struct user_event *begin(void)
{
	struct user_event *event;

	reset();
	event = user_event_register("ue u32 a", 0);
	return IS_ERR(event) ? NULL : event;
}

/* Drops the event, and waits until it has gone. */
static void end_event(struct user_event *event)
{
	mutex_lock(&user_event_mutex);
	user_event_put(event);
	mutex_unlock(&user_event_mutex);
	while (get_into(ENABLE, text, sizeof(text)) != -ENOENT)
		msleep(1);
}

/* The byte at addr of an address space that the test does not use: as a debugger sees it. */
static int byte_of(struct mm_struct *mm, unsigned long addr)
{
	u8 byte;

	return access_remote_vm(mm, addr, &byte, 1, false) == 1 ? byte : -EFAULT;
}

/* A worker writes what could not be written at once. */
static bool becomes(struct mm_struct *mm, unsigned long addr, int byte)
{
	while (byte_of(mm, addr) != byte)
		msleep(1);
	return true;
}

SELFTEST(user_events, a_bit_follows_the_event_and_leaves_the_others_alone)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	struct user_event *event = begin();

	ASSERT(mm && event);
	EXPECT_EQ(user_poke(addr + 7, 0x55), 0);
	EXPECT_EQ(user_enabler_add(event, addr, 63), 0);
	EXPECT_EQ(user_enabler_add(event, addr, 63), -EADDRINUSE);
	EXPECT_EQ(user_enabler_add(event, addr + 4, 31), -EADDRINUSE); /* the same bit */
	EXPECT_EQ_HEX(user_peek(addr + 7), 0x55);
	EXPECT_EQ(put(ENABLE, "1"), 0);
	EXPECT_EQ_HEX(user_peek(addr + 7), 0xd5);
	EXPECT_EQ(put(ENABLE, "0"), 0);
	EXPECT_EQ_HEX(user_peek(addr + 7), 0x55);
	EXPECT_EQ(put(ENABLE, "1"), 0);
	EXPECT_EQ(user_enabler_add(event, addr, 0), 0); /* an event that is on */
	EXPECT_EQ(user_peek(addr), 1);
	EXPECT_EQ(user_enabler_remove(addr, 63), 0);
	EXPECT_EQ_HEX(user_peek(addr + 7), 0x55);
	EXPECT_EQ(user_enabler_remove(addr, 63), -ENOENT);
	EXPECT_EQ(put(ENABLE, "0"), 0);
	EXPECT_EQ(user_peek(addr), 0);
	test_mm_end(mm);
	end_event(event);
}

SELFTEST(user_events, nothing_is_written_where_the_program_may_not_write)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, 2 * PAGE_SIZE, 0);
	struct user_event *event = begin();

	ASSERT(mm && event);
	EXPECT_EQ(user_poke(addr, 0x10), 0);
	EXPECT_EQ(sys_mprotect(addr, PAGE_SIZE, PROT_READ), 0);
	EXPECT_EQ(user_enabler_add(event, addr, 0), -EFAULT);
	EXPECT_EQ(user_enabler_add(event, 16 * PAGE_SIZE, 0), -EFAULT); /* no area */
	EXPECT_EQ(user_enabler_add(event, addr + PAGE_SIZE, 0), 0);
	EXPECT_EQ(sys_mprotect(addr + PAGE_SIZE, PAGE_SIZE, PROT_READ), 0);
	EXPECT_EQ(put(ENABLE, "1"), 0);
	EXPECT_EQ(user_enabler_remove(addr + PAGE_SIZE, 0), -EFAULT); /* after its tries */
	EXPECT_EQ(user_peek(addr + PAGE_SIZE), 0);
	EXPECT_EQ_HEX(user_peek(addr), 0x10);
	EXPECT_EQ(put(ENABLE, "0"), 0);
	test_mm_end(mm);
	end_event(event);
}

SELFTEST(user_events, fork_copies_enablers_and_a_write_breaks_the_sharing_of_the_page)
{
	struct mm_struct *mm = test_mm_begin(), *child;
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	struct user_event *event = begin();
	struct page *page;

	ASSERT(mm && event);
	EXPECT_EQ(user_enabler_add(event, addr, 0), 0);
	child = dup_mm(mm);
	ASSERT(child);
	mmap_read_lock(child);
	EXPECT(!get_writable_page(child, addr)); /* shared as a copy */
	mmap_read_unlock(child);
	EXPECT_EQ(put(ENABLE, "1"), 0);
	EXPECT(becomes(mm, addr, 1) && becomes(child, addr, 1));
	mmap_read_lock(child);
	page = get_writable_page(child, addr);
	EXPECT(page != NULL); /* a page of its own */
	if (page)
		put_page(page);
	mmap_read_unlock(child);
	EXPECT_EQ(user_enabler_remove(addr, 0), 0);
	EXPECT_EQ(user_peek(addr), 0);
	EXPECT_EQ(byte_of(child, addr), 1);
	test_mm_end(mm);
	EXPECT_EQ(put(ENABLE, "0"), 0);
	EXPECT(becomes(child, addr, 0)); /* at once */
	mmput(child);
	end_event(event);
}

SELFTEST(user_events, a_switch_does_not_wait_for_mmap_lock)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	struct user_event *event = begin();

	ASSERT(mm && event);
	EXPECT_EQ(user_enabler_add(event, addr, 0), 0);
	mmap_write_lock(mm);
	EXPECT_EQ(put(ENABLE, "1"), 0);
	EXPECT_EQ(put(ENABLE, "0"), 0);
	EXPECT_EQ(put(ENABLE, "1"), 0);
	mmap_write_unlock(mm);
	EXPECT(becomes(mm, addr, 1)); /* the last state */
	EXPECT_EQ(put(ENABLE, "0"), 0);
	EXPECT(becomes(mm, addr, 0));
	test_mm_end(mm);
	end_event(event);
}

SELFTEST(user_events, an_address_space_has_a_limited_number_of_bits)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);
	struct user_event *event = begin();
	unsigned count = 0;

	ASSERT(mm && event);
	while (count < 8 * PAGE_SIZE && !user_enabler_add(event, addr + count / 32 * 4, count % 32))
		count++;
	EXPECT_EQ(count, 1024);
	EXPECT_EQ(user_enabler_add(event, addr + PAGE_SIZE - 4, 0), -ENOSPC);
	EXPECT_EQ(user_enabler_remove(addr, 0), 0);
	EXPECT_EQ(user_enabler_add(event, addr + PAGE_SIZE - 4, 0), 0);
	test_mm_end(mm);
	end_event(event);
}

/* ---- records ---- */

static int write_event(struct user_event *event, void *payload, size_t length)
{
	struct iov_iter from;

	iov_iter_kernel(&from, payload, length);
	return user_event_write(event, &from);
}

SELFTEST(user_events, payloads_are_recorded_or_counted_as_lost)
{
	static u8 long_payload[70000];
	struct user_event *event = begin();
	u32 number = 7;

	ASSERT(event);
	EXPECT_EQ(write_event(event, &number, 3), -EINVAL);
	EXPECT_EQ(write_event(event, &number, 4), -EBADF);
	EXPECT_EQ(put(ENABLE, "1"), 0);
	EXPECT_EQ(write_event(event, &number, 4), 0);
	EXPECT(strstr(get("trace"), "ue: a=0x7 (7)\n"));
	EXPECT_EQ(write_event(event, long_payload, 1000), 0);
	EXPECT(strstr(get("trace"), "ue: a=0x0 (0)\n"));
	EXPECT(strstr(get("trace"), "entries-in-buffer/entries-written: 2/2 "));
	EXPECT_EQ(write_event(event, long_payload, 60000), 0); /* longer than a sub-buffer */
	EXPECT_EQ(write_event(event, long_payload, sizeof(long_payload)), 0);
	EXPECT(strstr(get("trace"), "entries-in-buffer/entries-written: 2/2 "));
	EXPECT_EQ(put(ENABLE, "0"), 0);
	end_event(event);
}

SELFTEST(user_events, an_event_without_users_stays_while_it_is_on)
{
	struct user_event *event = begin();

	ASSERT(event);
	EXPECT_EQ(put(ENABLE, "1"), 0);
	mutex_lock(&user_event_mutex);
	user_event_put(event);
	mutex_unlock(&user_event_mutex);
	EXPECT_EQ(user_event_delete("ue"), -EBUSY);
	EXPECT(user_event_register("ue u32 a", 0) == event); /* it is found again */
	EXPECT_EQ(PTR_ERR(user_event_register("ue u32 b", 0)), -EADDRINUSE);
	EXPECT_EQ(PTR_ERR(user_event_register("ue u32", 0)), -EADDRINUSE);
	EXPECT_EQ(put(ENABLE, "0"), 0);
	EXPECT_EQ(user_event_delete("ue"), -EBUSY);
	end_event(event);
	EXPECT_EQ(user_event_delete("ue"), -ENOENT);
}

static const char *const bad_names[] = { "",       ".",      "..",   "a/b",  "a:b",
					 "enable", "filter", "a\tb", "a\"b", " a" };

SELFTEST(user_events, names_that_are_no_directory_are_refused)
{
	char name[MAX_EVENT_NAME + 1];

	for (unsigned i = 0; i < ARRAY_SIZE(bad_names); i++)
		EXPECT_EQ(PTR_ERR(user_event_register(bad_names[i], 0)), -EINVAL);
	memset(name, 'n', sizeof(name));
	name[MAX_EVENT_NAME] = '\0';
	EXPECT_EQ(PTR_ERR(user_event_register(name, 0)), -EINVAL);
}
