/* Self-tests of the message ring: all CPUs write at once. The console does not show level debug. */
#include "kernel/cpumask.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/preempt.h"
#include "kernel/printk/printk.h"
#include "selftest/selftest.h"
#include "kernel/smp.h"

#define RECORD_MAX 2048
#define LINES      1024 /* of all CPUs together: half of the ring's capacity */
#define PADDING    "................................................................"

/* The text of the next record, from *seq on, that begins with prefix; or NULL. */
static const char *next_record(u64 *seq, char *buf, const char *prefix)
{
	ssize_t n;

	while ((n = kmsg_read_record(seq, buf, RECORD_MAX)) > 0) {
		char *text = memchr(buf, ';', (size_t)n);

		buf[n - 1] = '\0';
		if (text && strstarts(text + 1, prefix))
			return text + 1;
	}
	return NULL;
}

/* Runs in interrupt context on every CPU at the same time. */
static void print_lines(void *lines)
{
	for (unsigned i = 0; i < (unsigned)(unsigned long)lines; i++)
		printk(KERN_DEBUG "selftest cpu %u line %u " PADDING " end\n", smp_processor_id(),
		       i);
}

SELFTEST(printk, lines_of_all_cpus_come_whole_and_in_order)
{
	unsigned *next = kcalloc(nr_cpu_ids, sizeof(*next), GFP_KERNEL), bad = 0, cpu;
	unsigned lines = LINES / num_online_cpus();
	char *buf = kmalloc(RECORD_MAX, GFP_KERNEL);
	u64 seq = kmsg_next_seq(), dropped = printk_dropped();
	const char *text;

	on_each_cpu(print_lines, (void *)(unsigned long)lines, true);
	while (next && buf && (text = next_record(&seq, buf, "selftest cpu "))) {
		unsigned from, line;
		char *s;

		from = (unsigned)simple_strtoul(text + strlen("selftest cpu "), &s, 10);
		line = (unsigned)simple_strtoul(s + strlen(" line "), &s, 10);
		if (from >= nr_cpu_ids || line != next[from]++ || strcmp(s, " " PADDING " end"))
			bad++;
	}
	EXPECT_EQ(bad, 0);
	EXPECT_EQ(printk_dropped(), dropped);
	for_each_online_cpu (cpu)
		if (next)
			EXPECT_EQ(next[cpu], lines);
	kfree(buf);
	kfree(next);
}

SELFTEST(printk, a_line_is_one_record_however_it_is_put_together)
{
	char *buf = kmalloc(RECORD_MAX, GFP_KERNEL);
	u64 seq = kmsg_next_seq();
	const char *text;

	ASSERT(buf);
	preempt_disable(); /* KERN_CONT continues the line of this CPU */
	printk(KERN_DEBUG "selftest joins");
	pr_cont(" two");
	pr_cont(" parts\n");
	printk(KERN_DEBUG "selftest splits\nselftest lines\n");
	preempt_enable();
	text = next_record(&seq, buf, "selftest ");
	EXPECT(text && !strcmp(text, "selftest joins two parts"));
	text = next_record(&seq, buf, "selftest ");
	EXPECT(text && !strcmp(text, "selftest splits"));
	text = next_record(&seq, buf, "selftest ");
	EXPECT(text && !strcmp(text, "selftest lines"));
	kfree(buf);
}

SELFTEST(printk, a_long_message_keeps_its_beginning_and_a_long_text_its_end)
{
	char *buf = kmalloc(RECORD_MAX, GFP_KERNEL), *longer = kmalloc(RECORD_MAX, GFP_KERNEL);
	u64 seq = kmsg_next_seq();
	const char *text;

	if (buf && longer) {
		memset(longer, 'x', RECORD_MAX - 1);
		longer[RECORD_MAX - 1] = '\0';
		printk(KERN_DEBUG "selftest %s\n", longer);
		printk(KERN_DEBUG "selftest %.500sy\n", longer);
		text = next_record(&seq, buf, "selftest ");
		EXPECT(text && strlen(text) > 1000);
		text = next_record(&seq, buf, "selftest ");
		EXPECT(text && strlen(text) == 9 + 501 && text[9 + 500] == 'y');
	}
	EXPECT(buf && longer);
	kfree(longer);
	kfree(buf);
}

SELFTEST(printk, a_message_that_is_cut_still_ends_its_line)
{
	char *buf = kmalloc(RECORD_MAX, GFP_KERNEL), *longer = kmalloc(2 * RECORD_MAX, GFP_KERNEL);
	u64 seq = kmsg_next_seq();
	const char *text;

	if (buf && longer) {
		memset(longer, 'x', 2 * RECORD_MAX - 1);
		longer[2 * RECORD_MAX - 1] = '\0';
		preempt_disable(); /* the line must end without another line of this CPU */
		printk(KERN_DEBUG "selftest %s\n", longer);
		text = next_record(&seq, buf, "selftest ");
		preempt_enable();
		EXPECT(text && strlen(text) == PRINTK_TEXT_MAX);
	}
	EXPECT(buf && longer);
	kfree(longer);
	kfree(buf);
}
