/*
 * References to address spaces, for code that keeps a pointer to one and does not look inside.
 * kernel/vm/ defines the functions.
 */
#pragma once

#include "kernel/types.h"

struct mm_struct;
struct task_struct;

/* A new, empty address space with one user, or NULL: memory is short. Task context. */
struct mm_struct *mm_alloc(void);
/* Users of the memory. The last mmput() removes all areas; task context, may sleep. */
void mmget(struct mm_struct *mm);
void mmput(struct mm_struct *mm);
/* Users of the struct and of the root table only. Any context but NMI, without R. */
void mmgrab(struct mm_struct *mm);
void mmdrop(struct mm_struct *mm);
/* The address space of p with a new user, or NULL: a kernel task, or p is ending. Task context. */
struct mm_struct *get_task_mm(struct task_struct *p);
