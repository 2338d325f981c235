/* Self-tests of perf's records of the kernel's text: KSYMBOL, TEXT_POKE. */
#include "arch/cpu/linkage.h"
#include "arch/mm/uaccess.h"
#include "kernel/jump_label.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/rcu/rcu.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"
#include "trace/perf/perf_event.h"

long sys_perf_event_open(unsigned long attr, pid_t pid, int cpu, int group, unsigned long flags)
	SYSCALL_SYMBOL(perf_event_open);
long sys_close(unsigned fd) SYSCALL_SYMBOL(close);
long sys_mmap(unsigned long addr, unsigned long len, unsigned long prot, unsigned long flags,
	      unsigned long fd, unsigned long offset) SYSCALL_SYMBOL(mmap);

#define DATA_PAGES 64UL

/* An event that only gets records, and its buffer. */
struct records {
	struct mm_struct *mm;
	long fd;
	unsigned long user; /* address of the first page */
	u64 tail;
};

static bool begin(struct records *r, const struct perf_event_attr *attr)
{
	unsigned long addr;

	*r = (struct records){ .mm = test_mm_begin(), .fd = -1 };
	if (!r->mm)
		return false;
	addr = test_mmap(0, PAGE_SIZE, 0);
	if (copy_to_user((void *)addr, attr, sizeof(*attr)))
		return false;
	r->fd = sys_perf_event_open(addr, 0, -1, -1, 0);
	if (r->fd < 0)
		return false;
	r->user = (unsigned long)sys_mmap(0, (1 + DATA_PAGES) * PAGE_SIZE, PROT_READ | PROT_WRITE,
					  MAP_SHARED, (unsigned long)r->fd, 0);
	return !(r->user & (PAGE_SIZE - 1));
}

static void end(struct selftest *test, struct records *r)
{
	if (r->fd >= 0)
		EXPECT_EQ(sys_close((unsigned)r->fd), 0);
	if (r->mm)
		test_mm_end(r->mm);
}

/* Copies the next record of that type, and returns its size, or 0: there is none. */
static u16 next(struct records *r, u32 type, void *record, size_t room)
{
	struct perf_event_header header;
	u64 head;

	if (copy_from_user(&head,
			   (void *)(r->user + offsetof(struct perf_event_mmap_page, data_head)),
			   sizeof(head)))
		return 0;
	while (r->tail < head) {
		unsigned long at = r->user + PAGE_SIZE + r->tail; /* it does not wrap */

		if (copy_from_user(&header, (void *)at, sizeof(header)))
			return 0;
		r->tail += header.size;
		if (header.type == type && header.size <= room &&
		    !copy_from_user(record, (void *)at, header.size))
			return header.size;
	}
	return 0;
}

SELFTEST(perf, symbols_of_generated_code_are_records)
{
	static struct kallsyms_dynamic symbol = { .name = "generated",
						  .address = 0xffffffffff001230,
						  .size = 0x40,
						  .module = "selftest" };
	struct {
		struct perf_event_header header;
		u64 addr;
		u32 len;
		u16 type, flags;
		char name[40];
	} record = { .addr = 0 };
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(attr),
					      .config = PERF_COUNT_SW_DUMMY,
					      .ksymbol = 1 };
	struct records r;

	if (begin(&r, &attr)) {
		kallsyms_add(&symbol);
		kallsyms_del(&symbol);
		for (u16 flags = 0; flags < 2; flags++) {
			EXPECT_EQ(next(&r, PERF_RECORD_KSYMBOL, &record, sizeof(record)), 40);
			EXPECT_EQ_HEX(record.addr, symbol.address);
			EXPECT_EQ(record.len, 0x40);
			EXPECT_EQ(record.type, PERF_RECORD_KSYMBOL_TYPE_OOL);
			EXPECT_EQ(record.flags, flags);
			EXPECT(!strcmp(record.name, "generated"));
		}
		EXPECT_EQ(next(&r, PERF_RECORD_KSYMBOL, &record, sizeof(record)), 0);
	} else {
		EXPECT(!"no event");
	}
	end(test, &r);
	synchronize_rcu(); /* readers of the symbol */
}

static DEFINE_STATIC_KEY_FALSE(poked_key);

static noinline bool poked(void)
{
	return static_branch_unlikely(&poked_key);
}

SELFTEST(perf, changes_of_the_text_are_records)
{
	struct {
		struct perf_event_header header;
		u64 addr;
		u16 old_len, new_len;
		u8 bytes[44];
	} record = { .addr = 0 };
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(attr),
					      .config = PERF_COUNT_SW_DUMMY,
					      .text_poke = 1 };
	struct records r;
	bool found = false;

	if (begin(&r, &attr)) {
		EXPECT(!poked());
		static_branch_enable(&poked_key);
		EXPECT(poked());
		while (next(&r, PERF_RECORD_TEXT_POKE, &record, sizeof(record))) {
			if (record.addr - (unsigned long)poked >= 64)
				continue; /* another place, of another task */
			found = true;
			EXPECT_EQ(record.header.size, 32);
			EXPECT_EQ(record.old_len, 5);
			EXPECT_EQ(record.new_len, 5);
			EXPECT(memcmp(record.bytes, record.bytes + 5, 5));
			EXPECT(!memcmp((const void *)record.addr, record.bytes + 5, 5));
		}
		EXPECT(found);
		static_branch_disable(&poked_key);
	} else {
		EXPECT(!"no event");
	}
	end(test, &r);
}
