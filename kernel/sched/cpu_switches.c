/* How often a CPU has switched tasks, for perf. */
#include "kernel/sched/runqueue.h"

u64 cpu_switches(unsigned cpu)
{
	return READ_ONCE(cpu_rq(cpu)->nr_switches);
}
