/* Dumpers of the kernel's log: see kmsg_dump.h. */
#include "kernel/printk/kmsg_dump.h"

#include "kernel/atomic.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/printk/printk.h"

static struct kmsg_dumper *dumpers; /* [A] only the head changes */
static bool always_kmsg_dump;       /* constant after the command line has been parsed */

static int __init set_always_kmsg_dump(const char *value)
{
	if (!value) {
		always_kmsg_dump = true;
		return 0;
	}
	return kstrtobool(value, &always_kmsg_dump);
}
__setup("printk.always_kmsg_dump", set_always_kmsg_dump);

void kmsg_dump_register(struct kmsg_dumper *dumper)
{
	do
		dumper->next = READ_ONCE(dumpers);
	while (cmpxchg(&dumpers, dumper->next, dumper) != dumper->next);
}

static enum kmsg_dump_reason last_reason(const struct kmsg_dumper *dumper)
{
	if (dumper->max_reason != KMSG_DUMP_UNDEF)
		return dumper->max_reason;
	return always_kmsg_dump ? KMSG_DUMP_MAX : KMSG_DUMP_OOPS;
}

void kmsg_dump(enum kmsg_dump_reason reason)
{
	for (struct kmsg_dumper *dumper = READ_ONCE(dumpers); dumper; dumper = dumper->next)
		if (reason <= last_reason(dumper))
			dumper->dump(dumper, reason);
}

const char *kmsg_dump_reason_str(enum kmsg_dump_reason reason)
{
	static const char *const names[] = {
		[KMSG_DUMP_UNDEF] = "Unknown",     [KMSG_DUMP_PANIC] = "Panic",
		[KMSG_DUMP_OOPS] = "Oops",         [KMSG_DUMP_EMERG] = "Emergency",
		[KMSG_DUMP_SHUTDOWN] = "Shutdown",
	};

	return names[reason];
}

size_t kmsg_dump_get_buffer(char *buf, size_t size, char *line)
{
	u64 seq = kmsg_first_seq();
	size_t length, total = 0, used = 0;

	while ((length = kmsg_read_line(&seq, line)))
		total += length;
	seq = kmsg_first_seq();
	while (total > size && (length = kmsg_read_line(&seq, line)))
		total -= min(length, total);
	/* Another CPU may have added lines meanwhile. */
	while ((length = kmsg_read_line(&seq, line)) && used + length <= size) {
		memcpy(buf + used, line, length);
		used += length;
	}
	return used;
}
