/* Pages that a program may write. mmap_lock of mm is held for reading or writing. */
#pragma once

#include "kernel/vm/mm.h"

/*
 * The page at addr with a reference, if the program could write to it now without a fault: it is
 * there, and no other address space shares it as a private copy. NULL: not so. Does not sleep.
 */
struct page *get_writable_page(struct mm_struct *mm, unsigned long addr);
/*
 * Does for the page what a write by the program would do: brings it in, or copies it. Afterwards
 * get_writable_page() returns it, unless memory is short, or the program may not write there. May
 * sleep.
 */
void fault_in_writable_page(struct mm_struct *mm, unsigned long addr);
