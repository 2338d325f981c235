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
static char *dump_text;          /* [dump_lock] as large as a zone */
static char line[KMSG_LINE_MAX]; /* [dump_lock] */

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
	length = (size_t)scnprintf(dump_text, room, "%s#%u Part1\n", kmsg_dump_reason_str(reason),
				   dump_count);
	length += kmsg_dump_get_buffer(dump_text + length, room - length, line);
	persistent_ram_write(zone, dump_text, length);
}

/* A fault in a dump nests, and then the lock is taken: only a panic dumps once more. */
static void pstore_dump(struct kmsg_dumper *dumper, enum kmsg_dump_reason reason)
{
	bool locked = spin_trylock(&dump_lock);

	(void)dumper;
	if (locked || reason == KMSG_DUMP_PANIC)
		write_dump(reason);
	if (locked)
		spin_unlock(&dump_lock);
}

static struct kmsg_dumper pstore_dumper = { .dump = pstore_dump };

int pstore_dmesg_init(void)
{
	if (!ramoops_nr_dumps)
		return 0;
	dump_text = vmalloc(ramoops_dumps[0].size);
	if (!dump_text)
		return -ENOMEM;
	pstore_dumper.max_reason = ramoops_max_reason;
	kmsg_dump_register(&pstore_dumper);
	return 0;
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
