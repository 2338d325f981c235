/*
 * Uprobes: handlers at an instruction of a file, in every program that executes it. Registered by
 * inode and offset; the int3 is in private pages (kernel/vm/patch.h).
 */
#pragma once

#include "arch/cpu/ptrace.h"
#include "fs/vfs/fs.h"
#include "kernel/lib/list.h"

struct mm_struct;
struct uprobe_consumer;

/*
 * Both are called by the task that executes the instruction, and may sleep: they may read and write
 * user memory. They must not register or unregister a uprobe. regs are the program's registers.
 */
struct uprobe_consumer {
	/*
	 * regs->ip is the address of the instruction, which has not been executed. If a handler
	 * changes regs->ip, the program continues there, and the instruction is not executed.
	 */
	void (*handler)(struct uprobe_consumer *self, struct pt_regs *regs); /* [C] or NULL */
	/* The function that begins at func has returned to regs->ip. */
	void (*ret_handler)(struct uprobe_consumer *self, unsigned long func,
			    struct pt_regs *regs); /* [C] or NULL */
	/*
	 * [C] Whether a program is of interest; NULL: all are. The others get no breakpoint, unless
	 * another consumer wants it or they are forked with one. The handlers are not called for
	 * them. The answer for an address space does not change. Must not sleep.
	 */
	bool (*filter)(struct uprobe_consumer *self, struct mm_struct *mm);
	struct list_head list; /* of uprobe.c */
};

/*
 * From now on, the consumer is called at the instruction at offset of the file. A consumer with a
 * ret_handler wants the first instruction of a function. ref_ctr_offset: where in the file a
 * counter of 16 bits is, which is 1 larger in the memory of programs while the consumer's uprobe
 * is registered; 0: there is none. All consumers of one place have the same.
 *
 * 0; -EINVAL: no handler, an offset beyond the file, an odd ref_ctr_offset, or one that differs;
 * -EIO: the file has no pages; -ENOEXEC: no instruction; -ENOTSUPP: one that cannot be moved;
 * -ENOMEM. Holds a reference to the inode. Task context; takes uprobes_mutex.
 */
int uprobe_register_refctr(struct inode *inode, loff_t offset, loff_t ref_ctr_offset,
			   struct uprobe_consumer *uc);
int uprobe_register(struct inode *inode, loff_t offset, struct uprobe_consumer *uc);
/*
 * A page of the current task, for what a handler prepares while it may sleep; handlers of a task do
 * not nest. NULL: no memory. Only for handlers.
 */
void *uprobe_task_buffer(void);
/* On return no handler of the consumer runs, and none will be called. The same context. */
void uprobe_unregister(struct inode *inode, loff_t offset, struct uprobe_consumer *uc);
