/* Shared memory without a file: MAP_SHARED | MAP_ANONYMOUS, and shared mappings of /dev/zero. */
#pragma once

#include "kernel/types.h"

struct vm_area_struct;

/*
 * Makes the object behind a new area of shared anonymous memory, and sets vm_ops. 0 or -ENOMEM.
 * Task context.
 */
int shared_anon_setup(struct vm_area_struct *vma);
/* Whether vma shows such an object. */
bool is_shared_anon(const struct vm_area_struct *vma);
/* The pages and tables that the object of vma has, divided by the areas that show it. Any lock. */
unsigned long shared_anon_pages(const struct vm_area_struct *vma);
/* Fills [start, end) of the area with zeros, for all processes that share it. mmap_lock held. */
void shared_anon_clear(struct vm_area_struct *vma, unsigned long start, unsigned long end);
