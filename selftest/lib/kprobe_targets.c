/* Handlers and a function for tests of kprobes. */
#include "selftest/lib/kprobe_targets.h"

atomic64_t kprobe_hits;

int kprobe_count(struct kprobe *p __unused, struct pt_regs *regs __unused)
{
	atomic64_inc(&kprobe_hits);
	return 0;
}

void kprobe_post_nothing(struct kprobe *p __unused, struct pt_regs *regs __unused,
			 unsigned long flags __unused)
{
}

u64 kprobe_kinds_checksum(void)
{
	u64 sum = 0;

	for (u64 n = 0; n < 10; n++)
		sum = sum * 31 + kprobe_kinds(n);
	return sum;
}
