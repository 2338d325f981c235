/* The vDSO of programs: see vdso(7). */
#pragma once

struct mm_struct;

/*
 * Maps [vvar] and [vdso] at a random place in a new program, above its stack if there is room. 0 or
 * -ENOMEM. Task context; takes mmap_lock.
 */
int arch_setup_additional_pages(struct mm_struct *mm);
