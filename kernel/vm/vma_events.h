/* A tracepoint without an event, for rooms that follow what programs map. */
#pragma once

#include "kernel/tracepoint.h"

struct vm_area_struct;

/*
 * An area is new, has grown, or has other rights; it may have been merged with its neighbours.
 * mmap_lock held for writing; for reading while a stack grows, of another program, too. As on
 * Linux, mremap(2) makes none.
 */
DECLARE_TRACE(vma_map, TP_PROTO(struct vm_area_struct *vma), TP_ARGS(vma));
