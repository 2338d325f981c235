/*
 * Limits for messages that programs can cause. The rule: what a user can make the kernel print has
 * a limit. Without one a loop of faults fills the log, and the console takes the CPUs for it.
 */
#pragma once

#include "kernel/printk/printk.h"
#include "kernel/types.h"

#define DEFAULT_RATELIMIT_INTERVAL 5 /* seconds */
#define DEFAULT_RATELIMIT_BURST    10

/* At most `burst` messages in `interval` seconds. Without an interval there is no limit. */
struct ratelimit_state {
	int interval;    /* [A] */
	int burst;       /* [A] */
	u64 begin;       /* [A] of the present interval, ns; 0: none has begun */
	unsigned asked;  /* [A] in the present interval */
	unsigned missed; /* [A] of these, refused */
};

#define DEFINE_RATELIMIT_STATE(name)                                                               \
	struct ratelimit_state name = { .interval = DEFAULT_RATELIMIT_INTERVAL,                    \
					.burst = DEFAULT_RATELIMIT_BURST }

/*
 * True if the caller may print now. The first question after an interval reports how many were
 * refused in it: "FUNC: N callbacks suppressed". Any context.
 */
bool ___ratelimit(struct ratelimit_state *rs, const char *func);
#define __ratelimit(rs) ___ratelimit(rs, __func__)

/* The limit that several kinds of messages share (kernel.printk_ratelimit). */
extern struct ratelimit_state printk_ratelimit_state;
#define printk_ratelimit() ___ratelimit(&printk_ratelimit_state, __func__)

/* printk() with a limit for each place in the code. */
#define printk_ratelimited(fmt, ...)                                                               \
	({                                                                                         \
		static DEFINE_RATELIMIT_STATE(__rs);                                               \
		if (__ratelimit(&__rs))                                                            \
			printk(fmt, ##__VA_ARGS__);                                                \
	})
#define pr_err_ratelimited(fmt, ...)  printk_ratelimited(KERN_ERR pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn_ratelimited(fmt, ...) printk_ratelimited(KERN_WARNING pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info_ratelimited(fmt, ...) printk_ratelimited(KERN_INFO pr_fmt(fmt), ##__VA_ARGS__)
