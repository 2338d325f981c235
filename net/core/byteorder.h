/* Network byte order: the most significant byte first. */
#pragma once

#include "kernel/types.h"

static inline u16 htons(u16 v)
{
	return __builtin_bswap16(v);
}
static inline u32 htonl(u32 v)
{
	return __builtin_bswap32(v);
}
static inline u16 ntohs(u16 v)
{
	return __builtin_bswap16(v);
}
static inline u32 ntohl(u32 v)
{
	return __builtin_bswap32(v);
}
