/* The places that report interrupts and preemption: for the benches that count tracepoints. */
#pragma once

#include "kernel/preemptirq.h"

/*
 * Each site of the system preemptirq is patched as a tracepoint of its own: its event says where it
 * is. There are ten times more of them than of other tracepoints.
 */
static inline unsigned preemptirq_sites(void)
{
	return irq_sites_key.key.sites + preempt_sites_key.key.sites;
}
