/* Handlers and a function for tests of kprobes. */
#pragma once

#include "kernel/atomic.h"
#include "trace/kprobes/kprobes.h"

/*
 * Handlers: one counts its calls, one does nothing. A probe with the second never becomes a jump.
 */
extern atomic64_t kprobe_hits;
int kprobe_count(struct kprobe *p, struct pt_regs *regs);
void kprobe_post_nothing(struct kprobe *p, struct pt_regs *regs, unsigned long flags);

/* In selftest/arch/kprobe_kinds.asm: a checksum of n, with each kind of instruction. */
u64 kprobe_kinds(u64 n);
u64 kprobe_kinds_add(u64 a);
extern const u8 kprobe_kinds_end[];

/* A checksum of kprobe_kinds() of ten numbers. */
u64 kprobe_kinds_checksum(void);
