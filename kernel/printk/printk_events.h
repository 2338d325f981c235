/* The event of printk: each text, whether a console shows it or not. */
#if !defined(PRINTK_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define PRINTK_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM printk

#include "kernel/tracepoint.h"

/* clang-format off */

/* text: len bytes, without a level. The newline at the end is left out. */
TRACE_EVENT(console,
	TP_PROTO(const char *text, size_t len),
	TP_ARGS(text, len),
	TP_STRUCT__entry(
		__dynamic_array(char, msg, len + 1)
	),
	TP_fast_assign(
		if (len && text[len - 1] == '\n')
			len--;
		memcpy(__get_str(msg), text, len);
		__get_str(msg)[len] = '\0';
	),
	TP_printk("%s", __get_str(msg))
);

/* clang-format on */
#endif
