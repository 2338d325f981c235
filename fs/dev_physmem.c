/*
 * /dev/mem: physical memory as a file. As with Linux's CONFIG_STRICT_DEVMEM, RAM cannot be read or
 * written: not even root looks into the kernel this way. RAM below 1 MiB reads as zeros, because
 * old programs scan all of it for the tables of the firmware, which lie between it.
 */
#include "arch/pgtable.h"
#include "fs/devfs.h"
#include "fs/devices.h"
#include "fs/uio.h"
#include "kernel/boot/boot_info.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/process/capability.h"
#include "kernel/process/cred.h"

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
	.no_splice_read = true,
};

int physmem_device_init(void)
{
	return devfs_create("mem", 0600, MKDEV(1, 1), &mem_fops, NULL);
}
