/* Shared memory without a file: MAP_SHARED | MAP_ANONYMOUS, and shared mappings of /dev/zero. */
#pragma once

struct vm_area_struct;

/*
 * Makes the object behind a new area of shared anonymous memory, and sets vm_ops. 0 or -ENOMEM.
 * Task context.
 */
int shared_anon_setup(struct vm_area_struct *vma);
