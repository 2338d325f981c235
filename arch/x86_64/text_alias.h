/*
 * Writing to kernel text: through an alias that only this CPU has, and only for the moment of
 * writing. The mapping that executes is never writable (docs/memory-map.md).
 */
#pragma once

#include "arch/text_patch.h"
#include "kernel/compiler.h"

int text_alias_init(void); /* -ENOMEM */
/* Call write(alias of patch->addr, patch) for each of the sorted patches. text_patch_mutex held. */
void text_alias_write(const struct text_patch *patches, size_t count,
		      void (*write)(u8 *site, const struct text_patch *patch));
void text_alias_copy(unsigned long addr, const void *bytes, size_t size);
/*
 * One byte, at once, by an alias of this CPU's own and without a lock or a traced function: for the
 * end of tracing. Nothing happens if addr is not mapped. Other CPUs may be executing it: they find
 * the old byte or the new one. Any context.
 */
void text_write_byte(unsigned long addr, u8 byte);
/* Is addr in the image's text, init text while it is there, or the trampolines' area, and mapped.
 * Any context. */
bool is_text_address(unsigned long addr);
