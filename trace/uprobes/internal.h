/* Declarations for the files of trace/uprobes/ only. */
#pragma once

#include "arch/probes/uprobes.h"
#include "kernel/locking/spinlock.h"
#include "kernel/sched/rwsem.h"
#include "kernel/sched/sched.h"
#include "kernel/vm/mm.h"
#include "kernel/vm/patch.h"
#include "trace/uprobes/uprobes.h"

/*
 * All consumers of one place in a file. References: one while it is registered, and one for each
 * return instance, each hit and each task in a slot.
 */
struct uprobe {
	struct uprobe *next; /* [uprobes_mutex] in a bucket of the table; RCU */
	atomic_t ref;        /* [A] */
	struct rw_semaphore consumer_rwsem;
	struct list_head consumers; /* [consumer_rwsem] of struct uprobe_consumer; RCU */
	struct inode *inode;        /* [C] with a reference */
	loff_t offset;              /* [C] */
	loff_t ref_ctr_offset;      /* [C] 0: none */
	struct vm_patch breakpoint; /* [C], and of vm_patch_add() */
	struct vm_patch counter;    /* the same; not without ref_ctr_offset */
	struct arch_uprobe arch;    /* [C] */
	unsigned first_slot;        /* [C] of xol_first_slot() */
};

/* Grows with each uprobe, after it can be found and before its breakpoint is there. */
extern atomic_t uprobe_generation;
/* The uprobe at an offset of the file that mapping belongs to, with a reference; NULL: none. */
struct uprobe *find_uprobe(const struct vm_mapping *mapping, loff_t offset);
/* Whether the consumer's handlers are called for a program. Any context. */
static inline bool consumer_wants(struct uprobe_consumer *uc, struct mm_struct *mm)
{
	return !uc->filter || uc->filter(uc, mm);
}
void get_uprobe(struct uprobe *uprobe);
/* Task context: the last one may free the inode. */
void put_uprobe(struct uprobe *uprobe);

/* ---- returns (return.c) ---- */

/* A function that will return to the trampoline. */
struct return_instance {
	struct return_instance *next; /* the caller's, or an older one */
	struct uprobe *uprobe;        /* with a reference */
	unsigned long func;
	unsigned long stack;    /* where the return address is */
	unsigned long orig_ret; /* the address that the trampoline's replaces */
	bool chained;           /* next belongs to the same return: func was reached by a jump */
};

#define MAX_RETURN_DEPTH 64 /* as Linux */

/*
 * What a task has of uprobes. Only the task itself uses it; and the parent, before the task runs.
 */
struct uprobe_task {
	struct return_instance *returns; /* the newest first */
	unsigned depth;                  /* of returns */
	void *buffer;                    /* of uprobe_task_buffer(); NULL: not needed yet */
	/* The instruction that it executes in a slot, while task->uprobe_step: */
	struct uprobe *active; /* with a reference */
	struct xol_slot *slot;
	unsigned long ip;       /* of the instruction */
	unsigned long slot_end; /* of the int3 behind the copy */
	unsigned long saved;    /* of arch_uprobe_enter_slot() */
};

/* The current task's, made if need be; NULL: no memory. */
struct uprobe_task *get_utask(void);
/* Forgets all returns. */
void drop_returns(struct uprobe_task *utask);
/* The child gets copies of the returns, in the same order. 0 or -ENOMEM. */
int copy_returns(struct uprobe_task *child, const struct uprobe_task *parent);
/* The function that begins at regs->ip will return to the trampoline. */
void prepare_return(struct uprobe *uprobe, struct pt_regs *regs);
/* address, or if it is the trampoline's: what it replaces at that place of the stack. */
unsigned long true_return_address(unsigned long address, unsigned long at);
/* The current task has executed the int3 of the trampoline. */
void handle_trampoline(struct pt_regs *regs);

/* ---- slots (xol.c) ---- */

struct xol_slot;

/* The current address space's; makes it if it has none. NULL: no memory, or no room. */
struct xol_area *get_xol_area(void);
/* The address of the trampoline: the int3 at the beginning of the page. */
unsigned long xol_trampoline(const struct xol_area *area);
/*
 * A slot with the instruction, and its address. It is the caller's until put_slot(). Sleeps while
 * all slots that would do are in use.
 */
struct xol_slot *get_slot(struct xol_area *area, const struct uprobe *uprobe,
			  unsigned long *address);
/* The number of the first slot that may have the instruction. */
unsigned xol_first_slot(const struct arch_uprobe *arch);
void put_slot(struct xol_area *area, struct xol_slot *slot);
