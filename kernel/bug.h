/* Assertions. A failed BUG() raises #UD. The handler of #UD prints registers and backtrace. */
#pragma once

#include "kernel/compiler.h"

/*
 * BUG() reports and never returns: it kills the task, or panics (kernel/panic.h). WARN_ON() reports
 * with a backtrace, each time, and continues. Its value is the condition. Any context.
 */
void __noreturn report_bug(const char *file, int line, const char *what);
void report_warning(const char *file, int line, const char *what);

#define BUG() report_bug(__FILE__, __LINE__, "BUG")
#define BUG_ON(cond)                                                                               \
	do {                                                                                       \
		if (unlikely(cond))                                                                \
			report_bug(__FILE__, __LINE__, #cond);                                     \
	} while (0)
#define WARN_ON(cond)                                                                              \
	({                                                                                         \
		bool __warn = !!(cond);                                                            \
		if (unlikely(__warn))                                                              \
			report_warning(__FILE__, __LINE__, #cond);                                 \
		unlikely(__warn);                                                                  \
	})
#define WARN_ON_ONCE(cond)                                                                         \
	({                                                                                         \
		static bool __warned;                                                              \
		bool __warn_once = !!(cond);                                                       \
		if (unlikely(__warn_once && !__warned)) {                                          \
			__warned = true;                                                           \
			report_warning(__FILE__, __LINE__, #cond);                                 \
		}                                                                                  \
		unlikely(__warn_once);                                                             \
	})

#ifdef CONFIG_DEBUG
#define DEBUG_BUG_ON(cond) BUG_ON(cond)
#else
#define DEBUG_BUG_ON(cond) ((void)sizeof(!(cond)))
#endif
