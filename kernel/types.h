/* The kernel's integer types, under Linux's names. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A type as in Linux, not a macro: the format of an event has its name. */
#undef bool
typedef _Bool bool;

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#ifdef NOP5_HOST /* libc defines these */
#include <sys/types.h>
#else
typedef s64 ssize_t;
typedef u32 uid_t;
typedef u32 gid_t;
typedef s64 off_t;
typedef s32 pid_t;
typedef s64 loff_t;
#endif

typedef u64 phys_addr_t; /* a physical address, in bytes */
typedef u64 ktime_t;     /* nanoseconds since boot */
typedef u32 gfp_t;       /* kernel/mm/gfp.h: GFP_KERNEL, GFP_ATOMIC, __GFP_ZERO */
typedef u16 umode_t;     /* file type and permission bits, as in stat(2) */
