/*
 * Modules: parts of the kernel that are loaded while it runs. docs/architecture.md, "Modules", has
 * the design. This header is for modules, and for code that calls a module or is told about
 * modules.
 */
#pragma once

#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/module_list.h"

/* A section, for /sys/module/NAME/sections, for debuggers and for perf. */
struct module_section {
	const char *name;
	unsigned long address;
	size_t note_size; /* bytes, if the section has ELF notes, as the build id; 0: it has none */
};

/* One module that uses another. */
struct module_use {
	struct list_head list;   /* [M] in users of the module that is used */
	struct list_head source; /* [M] in uses of the module that uses it */
	struct module *user, *used;
};

#define TAINT_PROPRIETARY_MODULE 0
#define TAINT_OOT_MODULE         12

/* ---- what a module says of itself ---- */

#define __MODULE_PASTE_1(a, b) a##b
#define __MODULE_PASTE(a, b)   __MODULE_PASTE_1(a, b)
#ifdef MODULE
#define MODULE_INFO(tag, text)                                                                     \
	static const char __MODULE_PASTE(__modinfo_##tag, __COUNTER__)[] __used __aligned(1)       \
		__section(".modinfo") = #tag "=" text
/* init returns 0 or a negative errno: then the module is not loaded. Both run as tasks. */
#define module_init(fn) int init_module(void) __alias(#fn)
#define module_exit(fn) void cleanup_module(void) __alias(#fn)
int init_module(void);
void cleanup_module(void);
#else
#define MODULE_INFO(tag, text) BUILD_BUG_ON(0)
#define module_init(fn)        device_initcall(fn)
#define module_exit(fn)                                                                            \
	static inline void (*__unused __exit_of_##fn(void))(void)                                  \
	{                                                                                          \
		return fn;                                                                         \
	}
#endif
#define __exit                   __section(".exit.text")
#define MODULE_LICENSE(text)     MODULE_INFO(license, text)
#define MODULE_AUTHOR(text)      MODULE_INFO(author, text)
#define MODULE_DESCRIPTION(text) MODULE_INFO(description, text)
#define MODULE_VERSION(text)     MODULE_INFO(version, text)
#define MODULE_ALIAS(text)       MODULE_INFO(alias, text)
#define MODULE_SOFTDEP(text)     MODULE_INFO(softdep, text)

/* ---- modules that are loaded ---- */

/* References without the module's own; -1: GOING. Any context. */
int module_refcount(const struct module *module);

extern struct mutex module_mutex;

/* Bytes of the regions that stay, and of those of init. */
size_t module_size(const struct module *module);
size_t module_init_size(const struct module *module);
/* Prints the flags that follow the name of a module, such as "(O+)", or "". Returns buf. */
#define MODULE_FLAGS_LEN 12
const char *module_flags(const struct module *module, char buf[MODULE_FLAGS_LEN]);
