/* Measures a call: selftest/bench/call_cost.h. */
#include "selftest/bench/call_cost.h"

#include "arch/time/clock.h"
#include "fs/vfs/seq_file.h"

#define ROUNDS 10

static u64 ticks_of_round(void (*function)(void), unsigned calls)
{
	u64 start = arch_cycles();

	for (unsigned i = 0; i < calls; i++)
		function();
	return arch_cycles() - start;
}

u64 call_cost(void (*function)(void), unsigned calls)
{
	unsigned a_round = calls / ROUNDS;
	u64 fastest;

	ticks_of_round(function, a_round); /* QEMU translates the code, and the caches fill */
	fastest = ticks_of_round(function, a_round);
	for (unsigned i = 1; i < ROUNDS; i++)
		fastest = min(fastest, ticks_of_round(function, a_round));
	return fastest * CALL_COST_SCALE / a_round;
}

void show_call_cost(struct seq_file *m, const char *what, u64 plain, u64 changed)
{
	seq_printf(m, "%s: %lld ticks\n", what, (long long)(changed - plain) / CALL_COST_SCALE);
}
