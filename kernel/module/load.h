/* Loading a module from a file in memory: init_module(2), and finit_module(2) in fs/. */
#pragma once

#include "kernel/compiler.h"

#define MODULE_INIT_IGNORE_MODVERSIONS 1
#define MODULE_INIT_IGNORE_VERMAGIC    2

/* 0; -EPERM: the task may not load modules. Task context. */
int may_init_module(void);
/*
 * Loads a module and runs its init. file comes from vmalloc(), and is freed. uargs: the text of its
 * parameters, in user memory. flags: MODULE_INIT_*. Returns 0 or a negative errno, and then nothing
 * of the module is left. Task context, no lock.
 */
int load_module(void *file, size_t len, const char __user *uargs, int flags);
