/* For self-tests: runs a function on all CPUs at the same time, in a task on each. */
#pragma once

#include "kernel/compiler.h"

/* Runs fn(data) in a task bound to each online CPU, and waits for all of them. 0 or -ENOMEM. */
int run_on_cpus(void (*fn)(void *data), void *data);
