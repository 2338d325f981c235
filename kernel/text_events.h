/* Tracepoints without events, for rooms that keep a picture of the kernel's text. */
#pragma once

#include "kernel/tracepoint.h"

struct kallsyms_dynamic;

/* Code that was made at run time has got a symbol (add), or its symbol has gone. Task context. */
DECLARE_TRACE(ksymbol, TP_PROTO(const struct kallsyms_dynamic *symbol, bool add),
	      TP_ARGS(symbol, add));

/*
 * The instruction at addr has changed on all CPUs: size bytes, from old to new. Task context,
 * text_patch_mutex held: a probe must not change text.
 */
DECLARE_TRACE(text_poke, TP_PROTO(unsigned long addr, const u8 *old, const u8 *new, size_t size),
	      TP_ARGS(addr, old, new, size));
