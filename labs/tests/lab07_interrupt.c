/* Runs a case of lab07_ring with an interrupt at one of its instructions, where the CPU's trap flag stops it. */
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

#include "labs/tests/lab07.h"
#include "labs/tests/trap_flag.h"

static void (*interrupt)(void);
void (*inner_interrupt)(void);
unsigned long inner_at;
unsigned long stop_at;
static unsigned long step; /* instructions of the case so far */

static void run_interrupt(void (*what_happens)(void))
{
	u32 nest = rb_nest(cb);
	u64 commit = cb->commit;

	what_happens();
	if (nest && cb->commit != commit && (is_mode("commit") || is_mode("quick")))
		broken("a nested writer that publishes, although the writer that it has interrupted is not ready");
}

static void trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;
	void (*what_happens)(void) = interrupt;

	(void)signal, (void)info;
	if (++step != stop_at || !what_happens)
		return;
	interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	interrupt = inner_interrupt;
	inner_interrupt = NULL;
	step = 0;
	if (interrupt) {
		unsigned long outer_at = stop_at;

		stop_at = inner_at;
		set_trap_flag();
		run_interrupt(what_happens);
		clear_trap_flag();
		stop_at = outer_at;
		interrupt = NULL;
	} else {
		run_interrupt(what_happens);
	}
	step = stop_at; /* it has come */
}

/* Executes func(arg, words), with the interrupt at the instruction stop_at. False if there are not so many. */
bool interrupted(void (*func)(unsigned id, u32 words), unsigned id, u32 words, void (*what_happens)(void))
{
	interrupt = what_happens;
	step = 0;
	set_trap_flag();
	func(id, words);
	clear_trap_flag();
	return step >= stop_at;
}

void handle_traps(void)
{
	struct sigaction action = { .sa_sigaction = trap, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGTRAP, &action, NULL);
}
