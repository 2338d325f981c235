/*
 * The structures of user memory: the address space (mm_struct), its areas (vm_area_struct), and
 * what a file system offers for pages of files (vm_operations_struct, vm_mapping).
 *
 * docs/user-memory.md explains how they work together.
 */
#pragma once

#include "kernel/cpumask.h"
#include "kernel/lib/list.h"
#include "kernel/lib/rbtree.h"
#include "kernel/mm/user_page.h"
#include "kernel/task/vm_mapping.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/rwsem.h"

struct file; /* of the fs room; counted through struct vm_file_hooks (mm.h) */
struct mm_struct;
struct vm_area_struct;
struct xol_area;
struct pt_regs;

/* vm_flags: Linux's values. */
#define VM_READ         0x00000001UL
#define VM_WRITE        0x00000002UL
#define VM_EXEC         0x00000004UL
#define VM_SHARED       0x00000008UL
#define VM_MAYREAD      0x00000010UL /* mprotect() may set VM_READ */
#define VM_MAYWRITE     0x00000020UL
#define VM_MAYEXEC      0x00000040UL
#define VM_MAYSHARE     0x00000080UL
#define VM_GROWSDOWN    0x00000100UL /* a stack */
#define VM_LOCKED       0x00002000UL
#define VM_IO           0x00004000UL
#define VM_DONTCOPY     0x00020000UL /* MADV_DONTFORK */
#define VM_DONTEXPAND   0x00040000UL /* no mremap() to a larger size */
#define VM_LOCKONFAULT  0x00080000UL
#define VM_ACCOUNT      0x00100000UL /* its pages are in the sum of committed memory */
#define VM_NORESERVE    0x00200000UL
#define VM_WIPEONFORK   0x02000000UL
#define VM_DONTDUMP     0x04000000UL
#define VM_ACCESS_FLAGS (VM_READ | VM_WRITE | VM_EXEC)

/*
 * One area: consecutive pages with the same rights and the same origin. Its fields change only with
 * mmap_lock held for writing; vm_start of a stack also with mmap_lock held for reading and
 * page_table_lock.
 */
struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct vm_area_struct *vm_next, *vm_prev; /* by address */
	struct rb_node vm_rb;                     /* in vm_mm->mm_rb */
	struct mm_struct *vm_mm;                  /* [C] */
	unsigned long vm_flags;                   /* VM_* */
	u64 vm_page_prot;       /* the flags of a page-table entry that vm_flags allow */
	unsigned long vm_pgoff; /* the first page's offset in the file, in pages */
	struct file *vm_file;   /* counted; NULL: anonymous memory */
	const struct vm_operations_struct *vm_ops; /* NULL: private anonymous memory */
	void *vm_private_data;                     /* [X] the owner of vm_ops */
	/*
	 * The areas that show the same file: set by file_operations.mmap before the area is public.
	 * NULL: pages of the area are never taken away by unmap_mapping_range().
	 */
	struct vm_mapping *vm_mapping;
	struct list_head shared; /* [vm_mapping->lock] in vm_mapping->areas */
};

static inline unsigned long vma_pages(const struct vm_area_struct *vma)
{
	return (vma->vm_end - vma->vm_start) >> PAGE_SHIFT;
}

/* Flags of a fault. */
#define FAULT_FLAG_PRESENT     0x01 /* a page is there, and its entry forbids the access */
#define FAULT_FLAG_WRITE       0x02
#define FAULT_FLAG_USER        0x04 /* from user mode */
#define FAULT_FLAG_INSTRUCTION 0x10
#define FAULT_FLAG_REMOTE      0x80 /* by another task: access_remote_vm() */

/* The result of a fault: 0, or a set of these. */
#define VM_FAULT_OOM     0x001
#define VM_FAULT_SIGBUS  0x002
#define VM_FAULT_MAJOR   0x004
#define VM_FAULT_SIGSEGV 0x040
#define VM_FAULT_ERROR   (VM_FAULT_OOM | VM_FAULT_SIGBUS | VM_FAULT_SIGSEGV)

/* A fault in an area, for vm_operations_struct. */
struct vm_fault {
	struct vm_area_struct *vma;
	unsigned flags;        /* FAULT_FLAG_* */
	unsigned long address; /* of the page */
	unsigned long pgoff;   /* the page's offset in the file, in pages */
	struct page *page; /* result of fault(): with a reference, which the caller takes over */
};

/*
 * What the owner of an area's memory offers. All functions are called in task context with
 * mmap_lock held: open and close for writing, the others at least for reading. They may sleep, but
 * must not take mmap_lock, so they must not touch user memory.
 */
struct vm_operations_struct {
	void (*open)(struct vm_area_struct *vma);  /* a copy of an area: fork, split, mremap */
	void (*close)(struct vm_area_struct *vma); /* an area goes away */
	/*
	 * Finds the page at vmf->pgoff. 0 and vmf->page; or VM_FAULT_SIGBUS (beyond the end), OOM.
	 */
	unsigned (*fault)(struct vm_fault *vmf);
	/*
	 * A shared page, vmf->page, becomes writable. 0; VM_FAULT_SIGBUS: not possible. NULL:
	 * always allowed.
	 */
	unsigned (*page_mkwrite)(struct vm_fault *vmf);
	/* Whether the page at pgoff is in memory: mincore(2). NULL: no page but those mapped. */
	bool (*cached)(struct vm_area_struct *vma, u64 pgoff);
	bool whole; /* an area cannot be split: what asks for a part of it gets -EINVAL */
	/* It stays where it is, as long as the address space: munmap(2) and so on get -EPERM. */
	bool sealed;
	/* For /proc/PID/maps: "[vdso]", "/dev/zero (deleted)". NULL, or returns NULL: none. */
	const char *(*name)(struct vm_area_struct *vma);
};

/* The part of an address space that the machine-dependent code uses. */
struct mm_context {
	u64 tlb_gen;         /* [A] counts the flushes, see arch/user/mmu_context.h */
	struct cpumask cpus; /* [A] CPUs that have loaded pgd */
	void *vdso;          /* [M] the address of the vDSO; NULL: none */
};

#define AT_VECTOR_SIZE 44

/*
 * An address space. [M] mmap_lock: reading and writing, unless the comment says otherwise. [T]
 * page_table_lock. [A] atomic. [C] constant after mm_alloc().
 */
struct mm_struct {
	atomic_t mm_users; /* [A] tasks, and others that use its memory: mmget(), mmput() */
	atomic_t
		mm_count; /* [A] mm_users as one, and CPUs that use it lazily: mmgrab(), mmdrop() */
	u64 *pgd;         /* [C] the root table. User half: [T]; kernel half: constant */
	struct rw_semaphore mmap_lock;
	spinlock_t page_table_lock; /* T: the page tables, vm_start of stacks, counters */

	struct vm_area_struct *mmap;      /* [M] the first area */
	struct rb_root mm_rb;             /* [M] by address */
	struct vm_area_struct *vma_cache; /* [A] the last area found; [M] NULL after each change */
	int map_count;                    /* [M] */
	unsigned long mmap_base;          /* [M] new areas go below it */
	unsigned long search_top;         /* [M] no hole lies between it and mmap_base */

	/* Sizes, in pages. */
	unsigned long total_vm;    /* [M] all areas */
	unsigned long data_vm;     /* [M] private writable areas except stacks */
	unsigned long exec_vm;     /* [M] executable areas that are not writable */
	unsigned long stack_vm;    /* [M] */
	unsigned long locked_vm;   /* [M] areas with VM_LOCKED */
	atomic64_t pinned_vm;      /* [A] pages that buffers of perf add to RLIMIT_MEMLOCK */
	unsigned long hiwater_vm;  /* [M] the largest total_vm */
	long rss[NR_MM_COUNTERS];  /* [T] pages in the tables, by kind */
	unsigned long hiwater_rss; /* [T] */
	unsigned long pgtables;    /* [T] tables, without the root */
	unsigned long def_flags;   /* [M] mlockall(MCL_FUTURE): flags of new areas */

	/* The program: exec sets them, prctl() and brk() change them. [M] */
	unsigned long start_code, end_code, start_data, end_data;
	unsigned long start_brk, brk, start_stack;
	unsigned long arg_start, arg_end, env_start, env_end;
	unsigned long saved_auxv[AT_VECTOR_SIZE]; /* for /proc/PID/auxv */
	struct file *exe_file;                    /* [M] counted */

	/*
	 * Whether other processes of the same user may look into it: ptrace_may_access(). Read
	 * without a lock, after the ids of the task. A new address space is not dumpable until
	 * begin_new_exec() has decided, so it is never open while its credentials are still to
	 * come. After that a change of credentials takes it away (before the new ones are
	 * published: commit_creds()), and only the program itself gives it back:
	 * prctl(PR_SET_DUMPABLE, 1). A copy for fork() has the same.
	 */
	bool dumpable;

	/*
	 * Where its programs execute probed instructions (trace/uprobes/): set once; NULL: nowhere.
	 */
	struct xol_area *xol_area;
	struct mm_context context;
	struct mm_struct *next_dead; /* in a list of address spaces to free: mmdrop_sched() */
};
