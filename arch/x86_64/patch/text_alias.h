/*
 * Writes to kernel text through an alias that only this CPU has, and only during the write. The
 * executable mapping is never writable (docs/memory-map.md).
 */
#pragma once

#include "arch/patch/text_patch.h"
#include "kernel/compiler.h"

int text_alias_init(void); /* -ENOMEM */
/* What is written to each site. The first three are the steps of live patching, in this order. */
enum text_step {
	TEXT_STEP_INT3,       /* an int3 as the first byte */
	TEXT_STEP_TAIL,       /* all other bytes */
	TEXT_STEP_FIRST_BYTE, /* the new first byte */
	TEXT_STEP_ALL,        /* the whole new instruction: no other CPU runs */
};

/*
 * Takes a step for each of the sorted patches. The pages stay in the alias until text_alias_end(),
 * for the next step. text_patch_mutex held.
 */
void text_alias_write(const struct text_patch *patches, size_t count, enum text_step step);
void text_alias_end(void);
/* Copies bytes to text. text_patch_mutex held. */
void text_alias_copy(unsigned long addr, const void *bytes, size_t size);
/*
 * Writes one byte at once, through an alias of this CPU, without a lock and without a traced
 * function: an oops ends all tracing with it. No effect if addr is not mapped. Other CPUs may
 * execute the byte: they see the old or the new one. Any context.
 */
void text_write_byte(unsigned long addr, u8 byte);
/*
 * True if addr is mapped, and is in the image's text, in init text before it is freed, or in the
 * text area. Any context.
 */
bool is_text_address(unsigned long addr);
