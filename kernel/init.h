/* Boot-time registration: initcalls by level, and command-line parameters. */
#pragma once

#include "kernel/linker_table.h"

/*
 * The boot of the machine-independent kernel, called once by the architecture with boot_info
 * filled.
 */
void start_kernel(void);

typedef int (*initcall_t)(void);

/*
 * Levels, in order: core (services others need), fs, device, late. All run in the first task with
 * every CPU up, so they may sleep. A negative return is reported and the boot goes on.
 */
#define __define_initcall(fn, table, level)                                                        \
	static initcall_t __initcall_##fn LINKER_TABLE_ENTRY(init, table, #level) = fn
/*
 * As soon as there are memory and a clock, and nothing else: the boot CPU alone, in its idle task,
 * interrupts off. kmalloc and vmalloc work; a mutex that is free may be taken; no other sleeping.
 */
#define early_initcall(fn)  __define_initcall(fn, early_initcalls, 0)
#define core_initcall(fn)   __define_initcall(fn, initcalls, 1)
#define fs_initcall(fn)     __define_initcall(fn, initcalls, 3)
#define device_initcall(fn) __define_initcall(fn, initcalls, 5)
#define late_initcall(fn)   __define_initcall(fn, initcalls, 7)

/*
 * __setup("name", fn): fn(value) is called with the text after `name=` (NULL for a bare `name`)
 * before memory is set up, on the boot CPU, interrupts off: it may only parse and store. Linux's
 * __setup.
 */
struct kernel_param {
	const char *name;
	int (*fn)(const char *value);
};
#define __setup(param_name, param_fn)                                                              \
	static const struct kernel_param __setup_##param_fn LINKER_TABLE_ENTRY(                    \
		init, kernel_params, "") = { .name = param_name, .fn = param_fn }
/* __setup_string("name", buffer): the value is kept in a char array; without one, or too long, it
 * is refused, and the buffer empty. */
#define __setup_string(param_name, buffer)                                                         \
	static int __init buffer##_setup(const char *value)                                        \
	{                                                                                          \
		if (value && strscpy(buffer, value, sizeof(buffer)) >= 0)                          \
			return 0;                                                                  \
		*buffer = '\0';                                                                    \
		return -EINVAL;                                                                    \
	}                                                                                          \
	__setup(param_name, buffer##_setup)
void parse_kernel_params(const char *cmdline);
/* The value of the last `name=value` on the command line in buf, true if there is one. Any time. */
bool cmdline_find(const char *name, char *buf, size_t size);

/*
 * Called when init text, [start, end), is about to be unmapped: nothing may be written there any
 * more. NULL: nobody wants to know. Task context, PID 1.
 */
extern void (*init_text_free_hook)(unsigned long start, unsigned long end);

/*
 * PID 1 runs this function in a child when the boot is done, and again whenever the child ends. An
 * initcall sets it: the shell does, and the self-tests replace it when the command line asks for
 * them. NULL: the boot panics.
 */
extern int (*init_process)(void *unused);
