/*
 * /dev/mem: physical memory as a file. As with Linux's CONFIG_STRICT_DEVMEM, RAM cannot be read or
 * written: not even root looks into the kernel this way. RAM below 1 MiB reads as zeros, because
 * old programs scan all of it for the tables of the firmware, which lie between it. mmap(2) shows
 * the firmware and devices, but no RAM, and no device that the kernel itself uses.
 */
#include "arch/mm/pgtable.h"
#include "fs/dev/devfs.h"
#include "fs/file/uio.h"
#include "kernel/boot/boot_info.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/process/capability.h"
#include "kernel/process/cred.h"
#include "kernel/vm/mm.h"

#define LOW_MEMORY (1UL << 20)

enum kind { KIND_FIRMWARE, KIND_LOW_RAM, KIND_RAM };

/* What lies in the page at phys. */
static enum kind kind_of(u64 phys)
{
	for (unsigned i = 0; i < boot_info.memory_count; i++) {
		const struct memory_region *region = &boot_info.memory[i];

		if (region->type == MEMORY_USABLE && phys + PAGE_SIZE > region->base &&
		    phys < region->base + region->size)
			return phys < LOW_MEMORY ? KIND_LOW_RAM : KIND_RAM;
	}
	return KIND_FIRMWARE;
}

/* Behind the last RAM there are only devices. A read may have effects there. */
static bool is_valid(u64 phys, size_t count)
{
	u64 end = (u64)max_pfn * PAGE_SIZE;

	return phys + count - 1 < end && phys < end;
}

/* Copies a part of one page to buf. 0, -EPERM or -EFAULT. */
static int read_part(char *buf, u64 phys, size_t n)
{
	const void *from;

	switch (kind_of(ALIGN_DOWN(phys, PAGE_SIZE))) {
	case KIND_RAM:
		return -EPERM;
	case KIND_LOW_RAM:
		memset(buf, 0, n);
		return 0;
	case KIND_FIRMWARE:
		break;
	}
	from = map_firmware(phys, n);
	if (!from)
		return -EFAULT;
	memcpy(buf, from, n);
	return 0;
}

static size_t part_of(u64 phys, size_t count)
{
	return min(count, (size_t)(PAGE_SIZE - phys % PAGE_SIZE));
}

static ssize_t mem_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	u64 phys = (u64)iocb->ki_pos;
	ssize_t count = (ssize_t)to->count;
	char *buf;
	int err = 0;

	if (!is_valid(phys, to->count))
		return -EFAULT;
	buf = kmalloc(PAGE_SIZE, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	while (to->count && !err) {
		size_t n = part_of(phys, to->count);

		err = read_part(buf, phys, n);
		if (!err && copy_to_iter(buf, n, to) != n)
			err = -EFAULT;
		phys += n;
	}
	kfree(buf);
	if (err)
		return err;
	iocb->ki_pos = (loff_t)phys;
	return count;
}

/* RAM below 1 MiB takes bytes and forgets them, and the firmware is mapped read-only. */
static ssize_t mem_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	u64 phys = (u64)*pos;

	(void)file, (void)buf;
	if (!is_valid(phys, count))
		return -EFAULT;
	for (size_t done = 0; done < count; done += part_of(phys + done, count - done)) {
		enum kind kind = kind_of(ALIGN_DOWN(phys + done, PAGE_SIZE));

		if (kind != KIND_LOW_RAM)
			return kind == KIND_RAM ? -EPERM : -EFAULT;
	}
	*pos += (loff_t)count;
	return (ssize_t)count;
}

/* Any position but the last ones, which would look like errors. */
static loff_t mem_llseek(struct file *file, loff_t offset, int whence)
{
	if (whence == SEEK_CUR)
		offset += file->f_pos;
	else if (whence != SEEK_SET)
		return -EINVAL;
	if ((u64)offset >= (u64)-MAX_ERRNO)
		return -EOVERFLOW;
	file->f_pos = offset;
	return offset;
}

static unsigned mem_fault(struct vm_fault *vmf)
{
	/* The kernel's own view of the firmware's tables is cached: map_firmware(). */
	return vmf_insert_pfn(vmf, vmf->pgoff, vmf->pgoff < max_pfn);
}

static const struct vm_operations_struct mem_vm_ops = { .fault = mem_fault };

/* 0; -EINVAL: the CPU has no such addresses; -EPERM: one of the pages must not be shown. */
static int may_map(u64 pfn, u64 pages)
{
	u64 end = max_phys() >> PAGE_SHIFT;

	if (pfn > end || pages > end - pfn)
		return -EINVAL;
	for (u64 i = pfn; i < pfn + pages; i++)
		if (kind_of(i << PAGE_SHIFT) != KIND_FIRMWARE || is_fixmap_device(i << PAGE_SHIFT))
			return -EPERM;
	return 0;
}

/* A private mapping cannot be written: nothing copies pages without struct page. */
static int mem_mmap(struct file *file, struct vm_area_struct *vma)
{
	int err;

	(void)file;
	if (!(vma->vm_flags & VM_SHARED) && (vma->vm_flags & VM_WRITE))
		return -ENOSYS;
	err = may_map(vma->vm_pgoff, (vma->vm_end - vma->vm_start) >> PAGE_SHIFT);
	if (err)
		return err;
	if (!(vma->vm_flags & VM_SHARED))
		vma->vm_flags &= ~VM_MAYWRITE;
	vma->vm_flags |= VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP;
	vma->vm_ops = &mem_vm_ops;
	return 0;
}

static int mem_open(struct inode *inode, struct file *file)
{
	(void)inode, (void)file;
	return capable(CAP_SYS_RAWIO) ? 0 : -EPERM;
}

static const struct file_operations mem_fops = {
	.open = mem_open,
	.read_iter = mem_read_iter,
	.write = mem_write,
	.llseek = mem_llseek,
	.mmap = mem_mmap,
	.no_splice_read = true,
};

DEVICE_FILE(mem) = { .name = "mem", .mode = 0600, .dev = MKDEV(1, 1), .fops = &mem_fops };
