/*
 * Dumps: at an oops or a panic the end of the log goes into the next zone for dumps.
 *
 *	====1763900000.123456-D		when; only the zone has this line
 *	Panic#2 Part1			why, and how many dumps this boot has made
 *	<6>[    1.234567] TEXT
 *
 * The number of the zone begins anew in each boot, as on Linux: a boot that crashes overwrites the
 * dumps of the boot before it.
 */
#include "fs/pstore/internal.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/printk/printk.h"
#include "kernel/time/timekeeping.h"

#define HEADER_MAX 64

unsigned pstore_kmsg_bytes = PSTORE_KMSG_BYTES;

static DEFINE_SPINLOCK(dump_lock);
static unsigned dump_count;      /* [dump_lock] dumps of this boot */
static char *dump_text;          /* [dump_lock] as large as a zone; NULL: no dumps */
static char line[KMSG_LINE_MAX]; /* [dump_lock] */

static const char *reason_name(enum kmsg_dump_reason reason)
{
	static const char *const names[] = {
		[KMSG_DUMP_UNDEF] = "Unknown",     [KMSG_DUMP_PANIC] = "Panic",
		[KMSG_DUMP_OOPS] = "Oops",         [KMSG_DUMP_EMERG] = "Emergency",
		[KMSG_DUMP_SHUTDOWN] = "Shutdown",
	};

	return names[reason];
}

/* Fills buf with the last lines of the log that have room. Returns the number of bytes. */
static size_t end_of_log(char *buf, size_t size)
{
	u64 seq = kmsg_first_seq();
	size_t length, total = 0, used = 0;

	while ((length = kmsg_read_line(&seq, line)))
		total += length;
	seq = kmsg_first_seq();
	while (total > size && (length = kmsg_read_line(&seq, line)))
		total -= min(length, total);
	/* Another CPU may have added lines since. */
	while ((length = kmsg_read_line(&seq, line)) && used + length <= size) {
		memcpy(buf + used, line, length);
		used += length;
	}
	return used;
}

/* dump_lock held; or a panic has stopped its holder. */
static void write_dump(enum kmsg_dump_reason reason)
{
	struct persistent_ram_zone *zone = &ramoops_dumps[dump_count++ % ramoops_nr_dumps];
	u64 time = ktime_get_real();
	char header[HEADER_MAX];
	size_t length, room;

	length = (size_t)scnprintf(header, sizeof(header), "====%llu.%06llu-D\n",
				   (unsigned long long)(time / NSEC_PER_SEC),
				   (unsigned long long)(time % NSEC_PER_SEC / NSEC_PER_USEC));
	persistent_ram_zap(zone);
	persistent_ram_write(zone, header, length);
	room = min(zone->size - min(length, zone->size), (size_t)READ_ONCE(pstore_kmsg_bytes));
	length = (size_t)scnprintf(dump_text, room, "%s#%u Part1\n", reason_name(reason),
				   dump_count);
	length += end_of_log(dump_text + length, room - length);
	persistent_ram_write(zone, dump_text, length);
}

static bool always_kmsg_dump; /* constant after the command line has been parsed */

static int __init set_always_kmsg_dump(const char *value)
{
	if (!value) {
		always_kmsg_dump = true;
		return 0;
	}
	return kstrtobool(value, &always_kmsg_dump);
}
__setup("printk.always_kmsg_dump", set_always_kmsg_dump);

static enum kmsg_dump_reason last_reason(void)
{
	if (ramoops_max_reason != KMSG_DUMP_UNDEF)
		return ramoops_max_reason;
	return always_kmsg_dump ? KMSG_DUMP_MAX : KMSG_DUMP_OOPS;
}

/* A fault in a dump nests, and then the lock is taken: only a panic dumps once more. */
static void pstore_dump(enum kmsg_dump_reason reason)
{
	bool locked;

	if (!smp_load_acquire(&dump_text) || reason > last_reason())
		return;
	locked = spin_trylock(&dump_lock);
	if (locked || reason == KMSG_DUMP_PANIC)
		write_dump(reason);
	if (locked)
		spin_unlock(&dump_lock);
}

KMSG_DUMPER(pstore_dump);

int pstore_dmesg_init(void)
{
	if (!ramoops_nr_dumps)
		return 0;
	smp_store_release(&dump_text, vmalloc(ramoops_dumps[0].size));
	return dump_text ? 0 : -ENOMEM;
}

size_t pstore_dmesg_header(const char *dump, size_t size, u64 *time)
{
	const char *end = memchr(dump, '\n', min(size, (size_t)HEADER_MAX - 1));
	char header[HEADER_MAX], *rest;
	unsigned long seconds, usec;

	if (!end)
		return 0;
	memcpy(header, dump, (size_t)(end - dump));
	header[end - dump] = '\0';
	if (!strstarts(header, "===="))
		return 0;
	seconds = simple_strtoul(header + 4, &rest, 10);
	if (*rest != '.')
		return 0;
	usec = simple_strtoul(rest + 1, &rest, 10);
	if (strcmp(rest, "-D") != 0)
		return 0;
	*time = seconds * NSEC_PER_SEC + usec * NSEC_PER_USEC;
	return (size_t)(end + 1 - dump);
}

void pstore_dmesg_erase(unsigned id)
{
	unsigned long flags;

	spin_lock_irqsave(&dump_lock, flags);
	if (id >= dump_count)
		persistent_ram_zap(&ramoops_dumps[id]);
	spin_unlock_irqrestore(&dump_lock, flags);
}
