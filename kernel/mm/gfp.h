/*
 * The flags of an allocation: whether it may take the reserve, and whether it may sleep. Linux's
 * values, so that tools read them in events. nop5 has no reclaim: only __GFP_HIGH (the reserve),
 * __GFP_ZERO and __GFP_NOWARN do something.
 *
 * The parentheses and spaces are Linux's, too. They are a part of the print fmt of events.
 */
#pragma once

#include "kernel/types.h"

/* clang-format off */
#define GFP_FLAG(bits) (( gfp_t)bits)
#define __GFP_HIGH     GFP_FLAG(0x20u) /* may take the reserve */
#define __GFP_IO       GFP_FLAG(0x40u)
#define __GFP_FS       GFP_FLAG(0x80u)
#define __GFP_ZERO     GFP_FLAG(0x100u) /* the memory is zeroed */
#define __GFP_ATOMIC   GFP_FLAG(0x200u)
#define __GFP_NOWARN   GFP_FLAG(0x2000u) /* no message for a failure */
#define __GFP_RECLAIM  GFP_FLAG((0x400u|0x800u))
#define __GFP_KSWAPD_RECLAIM GFP_FLAG(0x800u)

/* Does not take the reserve of GFP_ATOMIC; task context. */
#define GFP_KERNEL (__GFP_RECLAIM | __GFP_IO | __GFP_FS)
/* Any context but NMI. */
#define GFP_ATOMIC (__GFP_HIGH|__GFP_ATOMIC|__GFP_KSWAPD_RECLAIM)
/* Any context but NMI, but does not take the reserve: for tasks that hold a spinlock. */
#define GFP_NOWAIT (__GFP_KSWAPD_RECLAIM)
/* clang-format on */
