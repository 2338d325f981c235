/* Zones of memory that survive a reboot: see zone.h. */
#include "fs/pstore/zone.h"

#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"

/* ---- the last boot ---- */

/*
 * True if the zone holds data. An unused area has no valid signature, so it is not reported as
 * damaged.
 */
static bool check_header(struct persistent_ram_zone *zone)
{
	const struct persistent_ram_buffer *buffer = zone->buffer;

	if (buffer->sig != zone->sig)
		return false;
	zone->damaged = buffer->size > zone->size || buffer->start > buffer->size;
	return !zone->damaged && buffer->size;
}

static int save_old(struct persistent_ram_zone *zone)
{
	const struct persistent_ram_buffer *buffer = zone->buffer;
	size_t start = buffer->start, size = buffer->size;

	zone->old = vmalloc(size);
	if (!zone->old)
		return -ENOMEM;
	zone->old_size = size;
	memcpy(zone->old, buffer->data + start, size - start);
	memcpy(zone->old + size - start, buffer->data, start);
	return 0;
}

int persistent_ram_init(struct persistent_ram_zone *zone, void *area, size_t size, u32 sig)
{
	if (size <= sizeof(*zone->buffer))
		return -EINVAL;
	*zone = (struct persistent_ram_zone){
		.buffer = area,
		.size = size - sizeof(*zone->buffer),
		.sig = sig,
	};
	return check_header(zone) ? save_old(zone) : 0;
}

void persistent_ram_free_old(struct persistent_ram_zone *zone)
{
	vfree(zone->old);
	zone->old = NULL;
	zone->old_size = 0;
}

/* ---- this boot ---- */

void persistent_ram_zap(struct persistent_ram_zone *zone)
{
	*zone->buffer = (struct persistent_ram_buffer){ .sig = zone->sig };
}

/* Writes bytes that fit before the end of the ring. */
static void write_part(struct persistent_ram_zone *zone, const u8 *data, size_t length)
{
	struct persistent_ram_buffer *buffer = zone->buffer;
	size_t at = buffer->start;

	memcpy(buffer->data + at, data, length);
	buffer->size = (u32)max((size_t)buffer->size, at + length);
	buffer->start = (u32)(at + length == zone->size ? 0 : at + length);
}

void persistent_ram_write(struct persistent_ram_zone *zone, const void *data, size_t length)
{
	const u8 *from = data;

	if (length > zone->size) {
		from += length - zone->size;
		length = zone->size;
	}
	while (length) {
		size_t part = min(length, zone->size - zone->buffer->start);

		write_part(zone, from, part);
		from += part;
		length -= part;
	}
}
