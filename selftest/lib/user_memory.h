/* For self-tests: kernel tasks that borrow an address space. */
#pragma once

#include "kernel/vm/mm.h"

/* A new address space with mmap_base, and the current task uses it. NULL: memory is short. */
struct mm_struct *test_mm_begin(void);
/* The current task gives it back, and drops its user. */
void test_mm_end(struct mm_struct *mm);
/* mmap() of private anonymous memory, read-write. The address, or a negative errno. */
unsigned long test_mmap(unsigned long addr, unsigned long len, unsigned long flags);

/* One byte of user memory: the byte, or -EFAULT; 0 or -EFAULT. */
int user_peek(unsigned long addr);
int user_poke(unsigned long addr, u8 value);
