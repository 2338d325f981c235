/* Self-tests of trace_printk(): the entries that it stores, and their text. */
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/iterator.h"
#include "trace/core/trace_printk.h"
#include "trace/core/write.h"

SELFTEST(trace, trace_printk_names_its_caller)
{
	reset();
	trace_printk("answer %d\n", 42);
	EXPECT(strstr(get("trace"), "_trace_printk_names_its_caller: answer 42\n"));
	EXPECT_EQ(put("trace_options", "notrace_printk"), 0);
	trace_printk("unseen\n");
	trace_printk("unseen %d\n", 1);
	EXPECT_EQ(put("trace_options", "trace_printk"), 0);
	EXPECT(!strstr(get("trace"), "unseen"));
	EXPECT_EQ(put("trace_options", "nomarkers"), 0);
	EXPECT_EQ(put("trace_marker", "unseen"), -EINVAL);
	EXPECT_EQ(put("trace_options", "markers"), 0);
	reset();
}

/* Returns the type of the only event in the trace, or 0. */
static unsigned type_of_the_event(void)
{
	struct trace_iterator *iter =
		trace_iterator_alloc(&global_trace, RING_BUFFER_ALL_CPUS, false);
	unsigned type = 0;

	if (!iter)
		return 0;
	if (trace_find_next_entry(iter))
		type = iter->ent->type;
	if (trace_find_next_entry(iter))
		type = 0;
	trace_iterator_free(iter);
	return type;
}

/* A constant format is stored as its address and arguments; a constant text only as its address. */
SELFTEST(trace, trace_printk_stores_addresses_that_printk_formats_knows)
{
	char local[16] = "local %d\n", line[64];
	const char *volatile variable = local;
	const struct bprint_entry *entry;
	struct trace_iterator *iter;

	reset();
	trace_printk("%s has %5d|%-6lx|%c|%hhu|%ps|%*ph|%.2s\n", "text", 7, 0x123456789UL, 'q',
		     (u8)200, (void *)schedule, 3, "\x01\xab\xff", "longer");
	EXPECT_EQ(type_of_the_event(), TRACE_BPRINT);
	EXPECT(strstr(get("trace"), ": text has     7|123456789|q|200|schedule|01 ab ff|lo\n"));
	iter = trace_iterator_alloc(&global_trace, RING_BUFFER_ALL_CPUS, false);
	ASSERT(iter && trace_find_next_entry(iter));
	entry = (const struct bprint_entry *)iter->ent;
	snprintf(line, sizeof(line), "0x%lx : \"%%s has %%5d|", (unsigned long)entry->fmt);
	trace_iterator_free(iter);
	EXPECT(strstr(get("printk_formats"), line));

	reset();
	trace_puts("a \"constant\"\ttext\n");
	EXPECT_EQ(type_of_the_event(), TRACE_BPUTS);
	EXPECT(strstr(get("trace"), "_formats_knows: a \"constant\"\ttext\n"));
	EXPECT(strstr(get("printk_formats"), " : \"a \\\"constant\\\"\\ttext\\n\"\n"));
	reset();
	trace_printk("without arguments\n");
	EXPECT_EQ(type_of_the_event(), TRACE_BPUTS);

	reset();
	trace_printk(variable, 5);
	EXPECT_EQ(type_of_the_event(), TRACE_PRINT);
	EXPECT(strstr(get("trace"), "_formats_knows: local 5\n"));
	reset();
	trace_puts(variable);
	EXPECT_EQ(type_of_the_event(), TRACE_PRINT);
	EXPECT(strstr(get("trace"), "_formats_knows: local %d\n"));
	reset();
}

SELFTEST(trace, trace_printk_cuts_a_text_that_is_too_long_for_an_entry)
{
	char *longer = kmalloc(3000, GFP_KERNEL), *line;

	ASSERT(longer);
	memset(longer, 'x', 3000);
	longer[2999] = '\0';
	reset();
	trace_printk("%s and %d\n", longer, 1);
	EXPECT_EQ(type_of_the_event(), TRACE_PRINT);
	line = strstr(get("trace"), ": xxxx");
	ASSERT(line);
	EXPECT_EQ(strspn(line + 2, "x"), TRACE_SCRATCH_SIZE - 1);
	kfree(longer);
	reset();
}
