/* CRC-32 as in IEEE 802.3, zip and zlib: polynomial 0xedb88320, reflected. */
#pragma once

#include "types.h"

/*
 * Continues a checksum with more data. crc is the result for the data before, 0 at the start.
 */
u32 crc32(u32 crc, const void *data, size_t size);
