/*
 * ramoops: an area of memory that survives a reboot, divided into zones (Linux:
 * Documentation/admin-guide/ramoops.rst):
 *
 *	| dump 0 | dump 1 | ... | console | ftrace | pmsg |
 *
 * The area is that of reserve_mem=SIZE:ALIGN:NAME with ramoops.mem_name=NAME, or at
 * ramoops.mem_address=. All is read early in the boot; then the zones are used again, except those
 * of dumps, which stay until they are removed or overwritten.
 */
#define pr_fmt(fmt) "ramoops: " fmt
#include "fs/pstore/internal.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/reserve_mem.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/printk/printk.h"
#include "kernel/time/timekeeping.h"

#define ZONE_SIZE      4096       /* the default of the sizes, as on Linux */
#define ZONE_SIG       0x43474244 /* "DBGC", as on Linux */
#define AREA_NAME_SIZE 16

bool ramoops_ready;
enum kmsg_dump_reason ramoops_max_reason = KMSG_DUMP_OOPS;
unsigned ramoops_nr_dumps;
struct persistent_ram_zone *ramoops_dumps;
struct persistent_ram_zone ramoops_console, ramoops_pmsg;

static unsigned nr_damaged; /* zones that were left out. Boot only */

/* ---- parameters ---- */

static u64 mem_address __initdata, mem_size __initdata;
static char mem_name[AREA_NAME_SIZE] __initdata;
static size_t record_size __initdata = ZONE_SIZE, console_size __initdata = ZONE_SIZE;
static size_t ftrace_size __initdata = ZONE_SIZE, pmsg_size __initdata = ZONE_SIZE;
static int max_reason __initdata = -1;

__setup_string("ramoops.mem_name", mem_name);

static int __init parse_size(const char *value, u64 *size)
{
	char *end;

	if (!value)
		return -EINVAL;
	*size = memparse(value, &end);
	return end == value || *end ? -EINVAL : 0;
}

/* Parses the size of a zone, which is rounded down to a power of two. */
static int __init parse_zone_size(const char *value, size_t *size)
{
	u64 bytes;
	int error = parse_size(value, &bytes);

	if (!error)
		*size = bytes ? 1UL << ilog2(bytes) : 0;
	return error;
}

static int __init parse_area(const char *value, u64 *number)
{
	int error = parse_size(value, number);

	return error || !mem_address || !mem_size ? error : reserve_mem_at(mem_address, mem_size);
}

static int __init set_mem_address(const char *value)
{
	return parse_area(value, &mem_address);
}
__setup("ramoops.mem_address", set_mem_address);

static int __init set_mem_size(const char *value)
{
	return parse_area(value, &mem_size);
}
__setup("ramoops.mem_size", set_mem_size);

static int __init set_record_size(const char *value)
{
	return parse_zone_size(value, &record_size);
}
__setup("ramoops.record_size", set_record_size);

static int __init set_console_size(const char *value)
{
	return parse_zone_size(value, &console_size);
}
__setup("ramoops.console_size", set_console_size);

static int __init set_ftrace_size(const char *value)
{
	return parse_zone_size(value, &ftrace_size);
}
__setup("ramoops.ftrace_size", set_ftrace_size);

static int __init set_pmsg_size(const char *value)
{
	return parse_zone_size(value, &pmsg_size);
}
__setup("ramoops.pmsg_size", set_pmsg_size);

static int __init set_max_reason(const char *value)
{
	int error = value ? kstrtoint(value, 10, &max_reason) : -EINVAL;

	return error ? error : max_reason < -1 || max_reason > KMSG_DUMP_MAX ? -EINVAL : 0;
}
__setup("ramoops.max_reason", set_max_reason);

/* The older form of max_reason, which wins: 0 is panic, 1 is oops and panic. */
static int __init set_dump_oops(const char *value)
{
	bool oops = false;
	int error = value ? kstrtobool(value, &oops) : -EINVAL;

	if (!error)
		ramoops_max_reason = oops ? KMSG_DUMP_OOPS : KMSG_DUMP_PANIC;
	return error;
}
__setup("ramoops.dump_oops", set_dump_oops);

/* ---- the zones ---- */

/* Makes the zone at *area of that size, and moves *area behind it. */
static int __init init_zone(struct persistent_ram_zone *zone, u8 **area, size_t size)
{
	int error = persistent_ram_init(zone, *area, size, ZONE_SIG);

	*area += size;
	nr_damaged += zone->damaged;
	return error;
}

static int __init init_log_zone(struct persistent_ram_zone *zone, u8 **area, size_t size)
{
	int error = size ? init_zone(zone, area, size) : 0;

	if (size && !error)
		persistent_ram_zap(zone);
	return error;
}

/* Subtracts the size of a zone from the room that is left. False: it is larger. */
static bool __init take_room(size_t *room, size_t zone)
{
	if (zone > *room)
		return false;
	*room -= zone;
	return true;
}

static int __init init_zones(u8 *area, size_t size)
{
	size_t room = size;
	int error = 0;

	if (!take_room(&room, console_size) || !take_room(&room, ftrace_size) ||
	    !take_room(&room, pmsg_size) || (room == size && !record_size))
		return -EINVAL;
	if (record_size)
		ramoops_nr_dumps = (unsigned)(room / record_size);
	if (ramoops_nr_dumps) {
		ramoops_dumps = kvzalloc(ramoops_nr_dumps * sizeof(*ramoops_dumps), GFP_KERNEL);
		if (!ramoops_dumps)
			return -ENOMEM;
	}
	for (unsigned i = 0; i < ramoops_nr_dumps && !error; i++)
		error = init_zone(&ramoops_dumps[i], &area, record_size);
	error = error ? error : init_log_zone(&ramoops_console, &area, console_size);
	if (!error && ftrace_size)
		error = pstore_ftrace_init(area, ftrace_size);
	area += ftrace_size;
	return error ? error : init_log_zone(&ramoops_pmsg, &area, pmsg_size);
}

/* Finds the memory. False: there is none. */
static bool __init find_area(phys_addr_t *start, size_t *size)
{
	if (*mem_name && reserve_mem_find_by_name(mem_name, start, size))
		return true;
	if (!*mem_name && mem_address && reserve_mem_has(mem_address, mem_size)) {
		*start = mem_address;
		*size = mem_size;
		return true;
	}
	if (*mem_name || mem_address)
		pr_err("no memory is reserved for it\n");
	return false;
}

static int __init ramoops_init(void)
{
	phys_addr_t start;
	size_t size;
	int error;

	if (!find_area(&start, &size))
		return 0;
	if (max_reason >= 0)
		ramoops_max_reason = (enum kmsg_dump_reason)max_reason;
	error = init_zones(__va(start), size);
	error = error ? error : pstore_dmesg_init();
	if (error) {
		pr_err("the sizes of the zones do not fit %zu KiB: %pe\n", size >> 10,
		       ERR_PTR(error));
		return error;
	}
	ramoops_ready = true;
	pr_info("using %#zx@%#lx\n", size, start);
	if (nr_damaged)
		pr_warn("%u zones of the last boot are damaged, and left out\n", nr_damaged);
	pstore_console_init();
	return 0;
}
early_initcall(ramoops_init);

/* ---- the records of the last boot ---- */

/* Moves the text of a zone, from `skip` on, to the record. */
static bool take_text(struct pstore_record *record, struct persistent_ram_zone *zone, size_t skip)
{
	record->size = zone->old_size - skip;
	record->text = vmalloc(record->size);
	if (record->text)
		memcpy(record->text, zone->old + skip, record->size);
	persistent_ram_free_old(zone);
	return record->text;
}

static bool take_dump(struct pstore_record *record, unsigned id)
{
	struct persistent_ram_zone *zone = &ramoops_dumps[id];
	size_t skip;

	if (!zone->old)
		return false;
	skip = pstore_dmesg_header((const char *)zone->old, zone->old_size, &record->time);
	if (!skip) {
		pr_warn("dump %u is damaged, and left out\n", id);
		persistent_ram_free_old(zone);
		return false;
	}
	record->type = "dmesg";
	record->id = id;
	return take_text(record, zone, skip);
}

static bool take_log(struct pstore_record *record, struct persistent_ram_zone *zone,
		     const char *type)
{
	record->type = type;
	return zone->old && take_text(record, zone, 0);
}

static bool take_record(struct pstore_record *record, unsigned index)
{
	if (index < ramoops_nr_dumps)
		return take_dump(record, index);
	record->time = ktime_get_real();
	switch (index - ramoops_nr_dumps) {
	case 0:
		return take_log(record, &ramoops_console, "console");
	case 1:
		return take_log(record, &ramoops_pmsg, "pmsg");
	default:
		record->type = "ftrace";
		return pstore_ftrace_take(record);
	}
}

struct pstore_record *ramoops_next_record(unsigned *at)
{
	while (ramoops_ready && *at < ramoops_nr_dumps + 3) {
		struct pstore_record *record = kzalloc(sizeof(*record), GFP_KERNEL);

		if (!record)
			return NULL;
		if (take_record(record, (*at)++))
			return record;
		kfree(record);
	}
	return NULL;
}

void pstore_record_free(struct pstore_record *record)
{
	vfree(record->text);
	vfree(record->calls);
	kfree(record);
}
