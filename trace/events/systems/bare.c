/* Defines the tracepoints that have no event: no file in events/ shows them. */
#include "kernel/kallsyms.h"
#include "kernel/text_events.h"
#include "kernel/vm/vma_events.h"

TRACEPOINT_DEFINE(vma_map, TP_PROTO(struct vm_area_struct *vma), TP_ARGS(vma))
TRACEPOINT_DEFINE(ksymbol, TP_PROTO(const struct kallsyms_dynamic *symbol, bool add),
		  TP_ARGS(symbol, add))
TRACEPOINT_DEFINE(text_poke,
		  TP_PROTO(unsigned long addr, const u8 *old, const u8 *new, size_t size),
		  TP_ARGS(addr, old, new, size))
