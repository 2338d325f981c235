/* Values of personality(2) with an effect, or that exec clears: Linux's. */
#pragma once

#define ADDR_NO_RANDOMIZE  0x0040000
#define MMAP_PAGE_ZERO     0x0100000
#define ADDR_COMPAT_LAYOUT 0x0200000
#define READ_IMPLIES_EXEC  0x0400000 /* for programs of 32 bits: exec always clears it */

/* They weaken a program, so the caller of one that acts for another user does not choose them. */
#define PER_CLEAR_ON_SETID                                                                         \
	(READ_IMPLIES_EXEC | ADDR_NO_RANDOMIZE | ADDR_COMPAT_LAYOUT | MMAP_PAGE_ZERO)
