/*
 * Ordinary RCU. Readers run with preemption off. So a CPU that has switched tasks runs no reader
 * from before the switch. synchronize_sched() makes every CPU switch tasks.
 */
#include "kernel/init.h"
#include "kernel/export.h"
#include "kernel/rcu/callbacks.h"
#include "kernel/sched/sched.h"

static struct rcu_callbacks rcu = RCU_CALLBACKS_INITIALIZER(rcu, "rcu_sched", synchronize_sched);

void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	rcu_queue_callback(&rcu, head, func);
}
EXPORT_SYMBOL_GPL(call_rcu);

void synchronize_rcu(void)
{
	synchronize_sched();
}
EXPORT_SYMBOL_GPL(synchronize_rcu);

void rcu_barrier(void)
{
	rcu_wait_for_callback(&rcu);
}

void rcu_stats(struct rcu_callback_stats *stats)
{
	rcu_read_stats(&rcu, stats);
}

static int __init rcu_init(void)
{
	rcu_start_kthread(&rcu);
	return 0;
}
core_initcall(rcu_init);
