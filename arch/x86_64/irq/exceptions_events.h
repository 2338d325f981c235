/* The events of page faults. Name, fields and text are Linux's (events/exceptions/). */
#if !defined(EXCEPTIONS_EVENTS_H) || defined(TRACE_EVENTS_PASS)
#define EXCEPTIONS_EVENTS_H
#undef TRACE_SYSTEM
#define TRACE_SYSTEM exceptions

#include "arch/cpu/ptrace.h"
#include "kernel/tracepoint.h"

/* clang-format off */

DECLARE_EVENT_CLASS(x86_exceptions,
	TP_PROTO(unsigned long address, struct pt_regs *regs, unsigned long error_code),
	TP_ARGS(address, regs, error_code),
	TP_STRUCT__entry(
		__field(unsigned long, address)
		__field(unsigned long, ip)
		__field(unsigned long, error_code)
	),
	TP_fast_assign(
		__entry->address = address;
		__entry->ip = regs->ip;
		__entry->error_code = error_code;
	),
	TP_printk("address=%ps ip=%ps error_code=0x%lx", (void *)__entry->address,
		  (void *)__entry->ip, __entry->error_code)
);

/* A page fault in the kernel. address is CR2. Interrupts off. */
DEFINE_EVENT(x86_exceptions, page_fault_kernel,
	TP_PROTO(unsigned long address, struct pt_regs *regs, unsigned long error_code),
	TP_ARGS(address, regs, error_code)
);

/* A page fault of a program. Interrupts on. */
DEFINE_EVENT(x86_exceptions, page_fault_user,
	TP_PROTO(unsigned long address, struct pt_regs *regs, unsigned long error_code),
	TP_ARGS(address, regs, error_code)
);

/* clang-format on */
#endif
