/*
 * Futexes: sleeping until another thread says that a word of user memory has changed (futex(2)).
 */
#pragma once

#include "kernel/compiler.h"

#define FUTEX_WAIT             0
#define FUTEX_WAKE             1
#define FUTEX_REQUEUE          3
#define FUTEX_CMP_REQUEUE      4
#define FUTEX_WAKE_OP          5
#define FUTEX_LOCK_PI          6
#define FUTEX_UNLOCK_PI        7
#define FUTEX_TRYLOCK_PI       8
#define FUTEX_WAIT_BITSET      9
#define FUTEX_WAKE_BITSET      10
#define FUTEX_WAIT_REQUEUE_PI  11
#define FUTEX_CMP_REQUEUE_PI   12
#define FUTEX_LOCK_PI2         13
#define FUTEX_PRIVATE_FLAG     128
#define FUTEX_CLOCK_REALTIME   256
#define FUTEX_CMD_MASK         (~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME))
#define FUTEX_BITSET_MATCH_ANY 0xffffffffU

/*
 * A word that a lock of threads uses: the owner's thread id with these bits (set_robust_list(2)).
 */
#define FUTEX_WAITERS    0x80000000U
#define FUTEX_OWNER_DIED 0x40000000U
#define FUTEX_TID_MASK   0x3fffffffU

/* Wakes at most count tasks that wait at uaddr. Their number, or -EFAULT, -EINVAL. Task context. */
long futex_wake(u32 __user *uaddr, bool shared, int count, u32 bitset);
