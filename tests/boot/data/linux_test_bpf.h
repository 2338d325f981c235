/*
 * What the tables of Linux's lib/test_bpf.c want of the kernel, for test_bpf_instructions.py, which puts this file before them
 * and linux_test_bpf_end.h behind them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/bpf_common.h>
#include <linux/filter.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef __BIG_ENDIAN /* in the kernel only the one that is true is defined */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define MAX_BPF_REG           11
#define MAX_BPF_STACK         512
#define BIT(n)                (1UL << (n))
#define ARRAY_SIZE(a)         (sizeof(a) / sizeof((a)[0]))
#define __init
#define GFP_KERNEL            0
#define kmalloc_array(n, s, f) calloc(n, s)
#define kcalloc(n, s, f)      calloc(n, s)
#define kmalloc(s, f)         calloc(1, s)
#define kzalloc(s, f)         calloc(1, s)
#define vmalloc(s)            calloc(1, s)
#define kfree(p)              free(p)
#define upper_32_bits(n)      ((u32)((u64)(n) >> 32))
#define lower_32_bits(n)      ((u32)(n))
#define swab16(x)             __builtin_bswap16(x)
#define swab32(x)             __builtin_bswap32(x)
#define swab64(x)             __builtin_bswap64(x)
#define cpu_to_le16(x)        ((u16)(x))
#define cpu_to_le32(x)        ((u32)(x))
#define cpu_to_le64(x)        ((u64)(x))
#define cpu_to_be16(x)        __builtin_bswap16(x)
#define cpu_to_be32(x)        __builtin_bswap32(x)
#define cpu_to_be64(x)        __builtin_bswap64(x)
#define div64_u64(a, b)       ((u64)(a) / (u64)(b))
#define div64_u64_rem(a, b, r) (*(r) = (u64)(a) % (u64)(b), (u64)(a) / (u64)(b))
#define min(a, b)             ((a) < (b) ? (a) : (b))
#define max(a, b)             ((a) > (b) ? (a) : (b))
#define BUG_ON(x)             ((x) ? abort() : (void)0)
#define pr_err(...)           fprintf(stderr, __VA_ARGS__)
#define pr_info(...)          fprintf(stderr, __VA_ARGS__)

#define S16_MAX INT16_MAX
#define S16_MIN INT16_MIN
#define S32_MAX INT32_MAX
#define S32_MIN INT32_MIN
#define U32_MAX UINT32_MAX
#define S64_MAX INT64_MAX
#define S64_MIN INT64_MIN
#define U64_MAX UINT64_MAX
/* Macros that the copy of filter.h in tools/ does not have. */
#define __BPF_STMT(CODE, K)         ((struct sock_filter)BPF_STMT(CODE, K))
#define __BPF_JUMP(CODE, K, JT, JF) ((struct sock_filter)BPF_JUMP(CODE, K, JT, JF))
#define BPF_JMP_A(OFF)              ((struct bpf_insn){ .code = BPF_JMP | BPF_JA, .off = (OFF) })
#define BPF_ZEXT_REG(DST)           ((struct bpf_insn){ .code = BPF_ALU | BPF_MOV | BPF_X, .dst_reg = (DST), .src_reg = (DST), .imm = 1 })

struct rnd_state {
	u64 seed;
};
static inline void prandom_seed_state(struct rnd_state *state, u64 seed)
{
	state->seed = seed;
}
static inline u32 prandom_u32_state(struct rnd_state *state)
{
	state->seed = state->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(state->seed >> 32);
}
