/* Zones of memory that survive a reboot: see zone.h. */
#include "fs/pstore/zone.h"

#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"

/* ---- parity ---- */

static u8 *block_parity(const struct persistent_ram_zone *zone, size_t block)
{
	return zone->parity + block * zone->rs->roots;
}

static size_t block_length(const struct persistent_ram_zone *zone, size_t block)
{
	return min((size_t)PRZ_BLOCK, zone->size - block * PRZ_BLOCK);
}

static void update_header_parity(struct persistent_ram_zone *zone)
{
	if (zone->rs)
		rs_encode(zone->rs, (const u8 *)zone->buffer, sizeof(*zone->buffer),
			  zone->header_parity);
}

/* Renews the parity of all blocks that [from, from + length) touches. */
static void update_parity(struct persistent_ram_zone *zone, size_t from, size_t length)
{
	if (!zone->rs)
		return;
	for (size_t block = from / PRZ_BLOCK; block * PRZ_BLOCK < from + length; block++)
		rs_encode(zone->rs, zone->buffer->data + block * PRZ_BLOCK,
			  block_length(zone, block), block_parity(zone, block));
}

static void repair(struct persistent_ram_zone *zone, u8 *data, size_t length, u8 *parity)
{
	int corrected = rs_decode(zone->rs, data, length, parity);

	if (corrected < 0)
		zone->unrecoverable++;
	else
		zone->corrected += (unsigned)corrected;
}

/* ---- the last boot ---- */

/*
 * Repairs the header. Returns whether the zone holds data. An area that no boot has written is not
 * damaged: its sig is that of no zone, however it is repaired.
 */
static bool check_header(struct persistent_ram_zone *zone)
{
	struct persistent_ram_buffer *buffer = zone->buffer;

	if (zone->rs) {
		repair(zone, (u8 *)buffer, sizeof(*buffer), zone->header_parity);
		zone->damaged = zone->unrecoverable && buffer->sig == zone->sig;
	}
	if (buffer->sig != zone->sig || zone->unrecoverable)
		return false;
	zone->damaged = buffer->size > zone->size || buffer->start > buffer->size;
	return !zone->damaged && buffer->size;
}

/* Repairs the blocks that hold data. The ring is full, or its data begin at 0. */
static void repair_data(struct persistent_ram_zone *zone)
{
	for (size_t block = 0; block * PRZ_BLOCK < zone->buffer->size; block++)
		repair(zone, zone->buffer->data + block * PRZ_BLOCK, block_length(zone, block),
		       block_parity(zone, block));
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

int persistent_ram_init(struct persistent_ram_zone *zone, void *area, size_t size, u32 sig,
			const struct rs_codec *rs)
{
	size_t room = size - sizeof(*zone->buffer), roots = rs ? rs->roots : 0, blocks;

	if (size <= sizeof(*zone->buffer) + 2 * roots)
		return -EINVAL;
	blocks = rs ? DIV_ROUND_UP(room - roots, PRZ_BLOCK + roots) : 0;
	*zone = (struct persistent_ram_zone){
		.buffer = area,
		.size = room - (rs ? (blocks + 1) * roots : 0),
		.sig = sig,
		.rs = rs,
	};
	zone->parity = zone->buffer->data + zone->size;
	zone->header_parity = zone->parity + blocks * roots;
	if (!check_header(zone)) {
		zone->corrected = zone->unrecoverable = 0;
		return 0;
	}
	if (rs)
		repair_data(zone);
	return save_old(zone);
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
	update_header_parity(zone);
}

/* Writes bytes that fit before the end of the ring. */
static void write_part(struct persistent_ram_zone *zone, const u8 *data, size_t length)
{
	struct persistent_ram_buffer *buffer = zone->buffer;
	size_t at = buffer->start;

	memcpy(buffer->data + at, data, length);
	update_parity(zone, at, length);
	buffer->size = (u32)max((size_t)buffer->size, at + length);
	buffer->start = (u32)(at + length == zone->size ? 0 : at + length);
	update_header_parity(zone);
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
