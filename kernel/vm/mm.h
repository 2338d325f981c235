/* User memory: address spaces and their areas, as other rooms use them. */
#pragma once

#include "arch/mm/uaccess.h"
#include "kernel/sched/mm.h"
#include "kernel/vm/mm_types.h"

/* prot and flags of mmap(2). */
#define PROT_READ      0x1
#define PROT_WRITE     0x2
#define PROT_EXEC      0x4
#define PROT_SEM       0x8
#define PROT_NONE      0x0
#define PROT_GROWSDOWN 0x01000000
#define PROT_GROWSUP   0x02000000

#define MAP_SHARED          0x01
#define MAP_PRIVATE         0x02
#define MAP_SHARED_VALIDATE 0x03
#define MAP_TYPE            0x0f
#define MAP_FIXED           0x10
#define MAP_ANONYMOUS       0x20
#define MAP_32BIT           0x40
#define MAP_GROWSDOWN       0x0100
#define MAP_DENYWRITE       0x0800
#define MAP_EXECUTABLE      0x1000
#define MAP_LOCKED          0x2000
#define MAP_NORESERVE       0x4000
#define MAP_POPULATE        0x8000
#define MAP_NONBLOCK        0x10000
#define MAP_STACK           0x20000
#define MAP_HUGETLB         0x40000
#define MAP_SYNC            0x80000
#define MAP_FIXED_NOREPLACE 0x100000
/* The flags that MAP_SHARED and MAP_PRIVATE have always taken, known or not. Linux's list. */
#define LEGACY_MAP_MASK                                                                            \
	(MAP_SHARED_VALIDATE | MAP_FIXED | MAP_ANONYMOUS | MAP_DENYWRITE | MAP_EXECUTABLE |        \
	 MAP_GROWSDOWN | MAP_LOCKED | MAP_NORESERVE | MAP_POPULATE | MAP_NONBLOCK | MAP_STACK |    \
	 MAP_HUGETLB | MAP_32BIT | MAP_HUGE_SIZES)
#define MAP_HUGE_SIZES (0x3fUL << 26) /* with MAP_HUGETLB */

static inline void mmap_read_lock(struct mm_struct *mm)
{
	down_read(&mm->mmap_lock);
}

static inline bool mmap_read_trylock(struct mm_struct *mm)
{
	return down_read_trylock(&mm->mmap_lock);
}

static inline void mmap_read_unlock(struct mm_struct *mm)
{
	up_read(&mm->mmap_lock);
}

static inline void mmap_write_lock(struct mm_struct *mm)
{
	down_write(&mm->mmap_lock);
}

static inline void mmap_write_unlock(struct mm_struct *mm)
{
	up_write(&mm->mmap_lock);
}

/*
 * What the fs room does for files in areas. Set once, before the first program runs. All in task
 * context.
 */
struct vm_file_hooks {
	/* The open file of the current task with a new reference; ERR_PTR(-EBADF). */
	struct file *(*fget)(unsigned fd);
	void (*get_file)(struct file *file);
	void (*fput)(struct file *file); /* mmap_lock not held, or not the last reference */
	void (*fput_deferred)(struct file *file); /* mmap_lock held: what releases the file waits */
	/* The program of an address space: nothing may write to it while it runs. */
	void (*get_exe_file)(struct file *file);
	void (*put_exe_file)(struct file *file);
	/*
	 * vma, with its range, vm_flags, vm_pgoff and vm_file, is about to become public. Checks
	 * the rights to the file (-EACCES; -EPERM: PROT_EXEC on a noexec mount; -ENODEV: no mmap),
	 * clears VM_MAYWRITE of a shared area of a file that is not open for writing, and calls
	 * file_operations.mmap, which sets vm_ops, vm_mapping and vm_private_data. May not sleep
	 * for mmap_lock, which is held for writing.
	 */
	int (*mmap)(struct file *file, struct vm_area_struct *vma);
	/* Frees a range of bytes of the file: 0 or a negative errno. mmap_lock not held. */
	long (*punch_hole)(struct file *file, u64 offset, u64 len);
	/* Writes the last component of the file's name to the end of buf. "?": it is too long. */
	const char *(*name)(struct file *file, char *buf, size_t size);
	/* About how many bytes of the kernel one reference on the file holds. Does not sleep. */
	size_t (*memory)(struct file *file);
	/* About how many pages of the kernel the open files of a task hold. */
	unsigned long (*task_pages)(struct task_struct *task);
};
void vm_set_file_hooks(const struct vm_file_hooks *hooks);

/*
 * About how many pages become free when the process of p ends; 0: it has no memory. Task context.
 */
unsigned long oom_pages(struct task_struct *p);
/*
 * The kernel has had no memory for a system call of the current task. True: a process ends now, try
 * again. False: the call fails, because memory is not short (the call asks for too much), no
 * process can be ended, or the current one must end. Task context, no lock.
 */
bool out_of_memory_retry(void);

/* vm.mmap_min_addr: below it, only CAP_SYS_RAWIO may map. Linux's default; it cannot be changed. */
#define MMAP_MIN_ADDR 0x10000UL

/*
 * vm.max_map_count: how many areas an address space may have. What adds an area asks it, with
 * mmap_lock held for writing. Read and written by the sysctl without a lock.
 */
extern int sysctl_max_map_count;

/* The area that ends above addr (it may begin above addr, too), or NULL. mmap_lock held. */
struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long addr);
/* The area that contains addr, or NULL. mmap_lock held. */
struct vm_area_struct *vma_lookup(struct mm_struct *mm, unsigned long addr);

/*
 * mmap(2) in the current address space. file: NULL for anonymous memory; do_mmap() takes its own
 * reference. vm_mmap() takes mmap_lock for writing; do_mmap() wants it held. The address or a
 * negative errno. do_mmap() sets *populate to the number of bytes that mm_populate() must fault in
 * after the caller has released mmap_lock; vm_mmap() has done that.
 */
unsigned long do_mmap(struct file *file, unsigned long addr, unsigned long len, unsigned long prot,
		      unsigned long flags, unsigned long pgoff, unsigned long *populate);
unsigned long vm_mmap(struct file *file, unsigned long addr, unsigned long len, unsigned long prot,
		      unsigned long flags, unsigned long offset);
/*
 * Faults the pages in, as far as that is possible: it goes on behind an area in which it is not. 0;
 * -EFAULT: some are missing; -EINTR: the task must die. mmap_lock not held.
 */
int mm_populate(struct mm_struct *mm, unsigned long addr, unsigned long len);
/* munmap(2) in mm, mmap_lock held for writing, and in the current one, without it. */
int do_munmap(struct mm_struct *mm, unsigned long addr, unsigned long len);
int vm_munmap(unsigned long addr, unsigned long len);
/* Anonymous private memory at [addr, addr + len), for the .bss of a program. VM_EXEC or 0. */
int vm_brk_flags(unsigned long addr, unsigned long len, unsigned long flags);
/*
 * Adds an area for pages that ops->fault() gives, such as the vDSO. It replaces nothing. mmap_lock
 * held for writing. mapping: the areas that show the same pages, or NULL. The area, or an
 * ERR_PTR(): -ENOMEM, -EEXIST.
 */
struct vm_area_struct *install_special_mapping(struct mm_struct *mm, unsigned long addr,
					       unsigned long len, unsigned long vm_flags,
					       const struct vm_operations_struct *ops, void *data,
					       struct vm_mapping *mapping);
/*
 * A free range of len bytes below mmap_base, or a negative errno. MAP_FIXED, MAP_FIXED_NOREPLACE:
 * addr, if an area may be there; each area at a place that a program chooses comes through here, so
 * that only CAP_SYS_RAWIO makes one below MMAP_MIN_ADDR. mmap_lock held.
 */
unsigned long get_unmapped_area(struct mm_struct *mm, unsigned long addr, unsigned long len,
				unsigned long flags);

/*
 * For exec, in this order: setup_stack() makes the area of the stack, one page at a random place,
 * in an address space that no task uses yet; the first byte behind it is mm->start_stack + 8.
 * access_remote_vm() then writes the strings, and the area grows. arch_pick_mmap_layout() chooses
 * mmap_base, once the program's limit and personality are known. setup_arg_pages() makes it
 * executable if the program wants that, and lets it grow by 128 KiB. exec sets mm->start_stack to
 * the final stack pointer. Both return 0 or a negative errno, and take mmap_lock.
 */
#define STACK_TOP_MAX TASK_SIZE_MAX
int setup_stack(struct mm_struct *mm);
int setup_arg_pages(struct mm_struct *mm, bool executable);
/* Chooses mmap_base of a new address space, below a stack that may grow to stack_limit bytes. */
void arch_pick_mmap_layout(struct mm_struct *mm, unsigned long stack_limit);
/* /proc/sys/kernel/randomize_va_space: 0 off; 1 all but the heap; 2 all. */
extern int randomize_va_space;
/* A random number of bytes below range, page-aligned; 0 if the layout is not random. */
unsigned long randomize_offset(unsigned long range);

/*
 * A fault at address by the current task, with interrupts on, page faults not disabled, and an
 * address space. flags: FAULT_FLAG_WRITE, _INSTRUCTION, _USER and _PRESENT. 0: the instruction may
 * run again. Else the signal, SIGSEGV or SIGBUS, and its si_code; for a fault in kernel mode the
 * caller goes to the exception table instead.
 */
int do_user_addr_fault(unsigned long address, unsigned flags, int *si_code);
/*
 * Writes " in FILE[START+SIZE]" for the area of a file that contains ip; else, or if mmap_lock is
 * not free, nothing. Task context.
 */
void describe_vma(char *buf, size_t size, unsigned long ip);
/* Makes the page at address accessible, if the area allows that. VM_FAULT_*. mmap_lock held. */
unsigned handle_mm_fault(struct vm_area_struct *vma, unsigned long address, unsigned flags);
/*
 * Copies to or from another address space, with the area's rights of mmap, not those of mprotect():
 * a debugger may write where the program may not. Returns the number of bytes copied. Task context,
 * mmap_lock not held.
 */
size_t access_remote_vm(struct mm_struct *mm, unsigned long addr, void *buf, size_t len,
			bool write);
/* The same with the rights that the program itself has: process_vm_readv(2). */
size_t access_process_vm(struct mm_struct *mm, unsigned long addr, void *buf, size_t len,
			 bool write);
/*
 * The page at addr with a reference, faulted in for reading or writing; or an ERR_PTR(-EFAULT).
 * mmap_lock held.
 */
struct page *get_user_page(struct mm_struct *mm, unsigned long addr, bool write);

/*
 * From now on no shared area that may write to the file is made: mmap(2) gives -EPERM. -EBUSY:
 * there is one already, nothing is changed. For the seals of fcntl(2). Task context; takes
 * mapping->lock.
 */
int vm_mapping_deny_shared(struct vm_mapping *mapping);
/*
 * Removes all pages from first to last (numbers of pages in the file) from all page tables that
 * show the file; also private copies if even_cows. The caller has made sure that fault() no longer
 * finds these pages. Task context; takes mapping->lock and page_table_lock.
 */
void unmap_mapping_range(struct vm_mapping *mapping, unsigned long first, unsigned long last,
			 bool even_cows);

static inline unsigned long get_mm_rss(const struct mm_struct *mm)
{
	long pages = 0;

	for (unsigned i = 0; i < NR_MM_COUNTERS; i++)
		pages += READ_ONCE(mm->rss[i]);
	return pages > 0 ? (unsigned long)pages : 0;
}
