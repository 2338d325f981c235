/*
 * The vDSO: its pages, its place in each program, and the data that it reads.
 *
 * All programs show the same pages: the image (vdso/vdso.c), and [vvar], which only the kernel
 * writes. A debugger that sets a breakpoint in the image gets its own copy of the page.
 */
#include "arch/user/vdso.h"

#include "arch/time/clock.h"
#include "arch/mm/pgtable.h"
#include "arch/user/vdso/data.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/panic.h"
#include "kernel/time/timekeeping.h"
#include "kernel/vm/mm.h"
#include "kernel/mm/user_page.h"

#define VDSO_MAX_PAGES 4
#define PMD_SIZE       (2UL << 20)

extern const char vdso_image[], vdso_image_end[]; /* vdso_image.asm */

static struct page *vdso_pages[VDSO_MAX_PAGES]; /* constant after the boot */
static unsigned nr_vdso_pages;
static struct page *vvar_page;
/* The contents of vvar_page. The caller of copy_real_offset() has the lock of the time of day. */
static struct vdso_data *vdso_data;

static unsigned vdso_fault(struct vm_fault *vmf)
{
	if (vmf->pgoff >= nr_vdso_pages)
		return VM_FAULT_SIGBUS;
	vmf->page = vdso_pages[vmf->pgoff];
	get_page(vmf->page);
	return 0;
}

static const char *vdso_name(struct vm_area_struct *vma __unused)
{
	return "[vdso]";
}

static unsigned vvar_fault(struct vm_fault *vmf)
{
	vmf->page = vvar_page;
	get_page(vmf->page);
	return 0;
}

static const char *vvar_name(struct vm_area_struct *vma __unused)
{
	return "[vvar]";
}

static const struct vm_operations_struct vdso_ops = { .fault = vdso_fault, .name = vdso_name };
static const struct vm_operations_struct vvar_ops = { .fault = vvar_fault, .name = vvar_name };

static void copy_real_offset(u64 real_offset)
{
	WRITE_ONCE(vdso_data->offset[CLOCK_REALTIME], real_offset);
	WRITE_ONCE(vdso_data->offset[CLOCK_REALTIME_COARSE], real_offset);
	WRITE_ONCE(vdso_data->offset[CLOCK_TAI], real_offset);
}

static struct page *new_page(void)
{
	struct page *page = alloc_user_page(GFP_KERNEL | __GFP_ZERO, MM_FILEPAGES);

	if (!page)
		panic("No memory for the vDSO");
	return page;
}

static int __init vdso_init(void)
{
	size_t size = (size_t)(vdso_image_end - vdso_image);

	if (size > VDSO_MAX_PAGES * PAGE_SIZE)
		panic("The vDSO has %zu bytes", size);
	nr_vdso_pages = (unsigned)DIV_ROUND_UP(size, PAGE_SIZE);
	for (size_t i = 0; i < nr_vdso_pages; i++) {
		vdso_pages[i] = new_page();
		memcpy(page_address(vdso_pages[i]), vdso_image + i * PAGE_SIZE,
		       min(size - i * PAGE_SIZE, PAGE_SIZE));
	}
	vvar_page = new_page();
	vdso_data = page_address(vvar_page);
	vdso_data->tsc_base = tsc_base;
	vdso_data->tsc_ns_mult = tsc_ns_mult;
	timekeeping_copy_to(copy_real_offset);
	return 0;
}
core_initcall(vdso_init);

/*
 * A random place for len bytes between the stack and the next border of 2 MiB, where the stack's
 * page table ends. 0: there is no room.
 */
static unsigned long place_above_stack(const struct mm_struct *mm, unsigned long len)
{
	unsigned long start = ALIGN(mm->start_stack + sizeof(void *), PAGE_SIZE);
	unsigned long end = ALIGN(start + len, PMD_SIZE) - len;

	if (end + len > TASK_SIZE_MAX)
		return 0;
	return start + (end > start ? randomize_offset(end - start) : 0);
}

int arch_setup_additional_pages(struct mm_struct *mm)
{
	unsigned long len = VVAR_SIZE + nr_vdso_pages * PAGE_SIZE, addr;
	struct vm_area_struct *vma;
	int error = 0;

	mmap_write_lock(mm);
	addr = get_unmapped_area(mm, place_above_stack(mm, len), len, 0);
	if (IS_ERR_VALUE(addr)) {
		error = (int)addr;
		goto unlock;
	}
	vma = install_special_mapping(mm, addr, VVAR_SIZE,
				      VM_READ | VM_MAYREAD | VM_IO | VM_DONTDUMP, &vvar_ops, NULL,
				      NULL);
	if (!IS_ERR(vma))
		vma = install_special_mapping(mm, addr + VVAR_SIZE, len - VVAR_SIZE,
					      VM_READ | VM_EXEC | VM_MAYREAD | VM_MAYWRITE |
						      VM_MAYEXEC,
					      &vdso_ops, NULL, NULL);
	if (IS_ERR(vma))
		error = (int)PTR_ERR(vma);
	else
		mm->context.vdso = (void *)(addr + VVAR_SIZE);
unlock:
	mmap_write_unlock(mm);
	return error;
}
