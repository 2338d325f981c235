/* CRC-32 as in IEEE 802.3, zip and zlib: polynomial 0xedb88320, reflected. */
#pragma once

#include "kernel/types.h"

/* Of data that follows what gave crc; 0 to begin with. Any context. */
u32 crc32(u32 crc, const void *data, size_t size);
