/* Registration for the boot: initcalls by level, and command-line parameters. */
#pragma once

#include "kernel/linker_table.h"

/*
 * The boot of the machine-independent kernel. The architecture calls it once, after it has filled
 * boot_info.
 */
void start_kernel(void);

typedef int (*initcall_t)(void);

/*
 * Levels, in order: core (services for other code), fs, device, late. Initcalls run in PID 1, after
 * all CPUs are up. So they may sleep. An error is reported, and the boot continues.
 *
 * The initcalls of one level run in the order of linking: that of the paths of their files.
 */
#define __define_initcall(fn, level)                                                               \
	static initcall_t __initcall_##fn LINKER_TABLE_ENTRY(init, level##_initcalls, "") = fn
/*
 * Memory initcalls run when the map of the RAM is known, before anything is allocated: they may
 * reserve memory with memblock_reserve(). Boot CPU, interrupts off.
 */
#define memory_initcall(fn) __define_initcall(fn, memory)
/*
 * Early initcalls run as soon as memory and a clock work: on the boot CPU, in its idle task, with
 * interrupts off. kmalloc() and vmalloc() work. A free mutex may be taken. Sleeping is not allowed.
 */
#define early_initcall(fn)  __define_initcall(fn, early)
#define core_initcall(fn)   __define_initcall(fn, core)
#define fs_initcall(fn)     __define_initcall(fn, fs)
#define device_initcall(fn) __define_initcall(fn, device)
#define late_initcall(fn)   __define_initcall(fn, late)

/*
 * __setup("name", fn) makes the boot call fn(value) with the text behind `name=`; a bare `name`
 * gives NULL. This happens before memory is set up, on the boot CPU, interrupts off. So fn may only
 * parse and store. As Linux's __setup().
 */
struct obs_kernel_param {
	const char *name;
	int (*fn)(const char *value);
};
#define __setup(param_name, param_fn)                                                              \
	static const struct obs_kernel_param __setup_##param_fn LINKER_TABLE_ENTRY(                \
		init, kernel_params, "") = { .name = param_name, .fn = param_fn }
/*
 * __setup_string("name", buffer) stores the value in a char array. A value that is missing or too
 * long is refused, and the array is then empty.
 */
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
/*
 * The words of the command line that are no parameters of the kernel, each with its NUL; an empty
 * one is the end. As on Linux, they are for the first program: NAME=VALUE goes to its environment,
 * another word to its arguments. Constant after the command line has been parsed.
 */
extern char unknown_params[];
/*
 * Copies the value of the last `name=value` on the command line into buf. False: none. Any context.
 */
bool cmdline_find(const char *name, char *buf, size_t size);

/*
 * Called before the init text, [start, end), is unmapped. Afterwards it must not be written. NULL:
 * no hook. Task context, PID 1.
 */
extern void (*init_text_free_hook)(unsigned long start, unsigned long end);

/*
 * When the boot is done, PID 1 calls this function. It starts the first program in PID 1 and
 * returns, or it never returns. An initcall of fs/ sets it. If the command line asks for
 * self-tests, their initcall replaces it.
 */
extern void (*first_program)(void);
