/* Self-tests of perf's records of the kernel's text: KSYMBOL, TEXT_POKE. */
#include "kernel/jump_label.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/rcu/rcu.h"
#include "selftest/perf/reader.h"
#include "selftest/selftest.h"

#define DATA_PAGES 64UL

/* Copies the next record of that type, and returns its size, or 0: there is none. */
static u16 next(struct perf_reader *r, u32 type, void *record, size_t room)
{
	u16 size;

	while ((size = perf_reader_next(r, record, room)) != 0)
		if (((struct perf_event_header *)record)->type == type)
			return size;
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
	struct perf_reader r;

	if (perf_reader_begin(&r, &attr, -1, DATA_PAGES)) {
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
	EXPECT_EQ(perf_reader_end(&r), 0);
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
	struct perf_reader r;
	bool found = false;

	if (perf_reader_begin(&r, &attr, -1, DATA_PAGES)) {
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
	EXPECT_EQ(perf_reader_end(&r), 0);
}
