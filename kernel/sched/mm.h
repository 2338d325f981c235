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
/* Adds a user to an mm that mmgrab() keeps. False: the last user has gone. */
bool mmget_not_zero(struct mm_struct *mm);
/* Users of the struct and of the root table only. Any context but NMI, without R. */
void mmgrab(struct mm_struct *mm);
void mmdrop(struct mm_struct *mm);
/* The same as mmdrop(), for the context switch: R may be held. Interrupts off. */
void mmdrop_sched(struct mm_struct *mm);
/* The address space of p with a new user, or NULL: a kernel task, or p is ending. Task context. */
struct mm_struct *get_task_mm(struct task_struct *p);

/*
 * A copy of old for fork(2), or NULL: memory is short. No page is copied: both address spaces show
 * the same pages until one of them writes. Task context; takes mmap_lock of both.
 */
struct mm_struct *dup_mm(struct mm_struct *old);
/*
 * The current task, which ends, gives up its address space. From then on it is a kernel task, and
 * user pointers mean kernel addresses to it. So it must write to its program before this call.
 */
void exit_mm(void);
/* The current task, which runs exec, gets the address space new, with new's one user. */
void exec_mmap(struct mm_struct *new);
/*
 * A kernel task borrows mm, which has a user, for copy_to_user() and the like, and gives it back.
 */
void kthread_use_mm(struct mm_struct *mm);
void kthread_unuse_mm(struct mm_struct *mm);
