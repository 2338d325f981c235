/* For self-tests: one task on each CPU, all at work at the same time. */
#pragma once

#include "kernel/compiler.h"

/*
 * Run fn(data) in a task bound to each online CPU, all at once; returns when all have, 0 or
 * -ENOMEM.
 */
int run_on_cpus(void (*fn)(void *data), void *data);
