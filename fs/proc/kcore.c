/*
 * /proc/kcore: the memory of the kernel's image and of modules as an ELF core file, as it is now,
 * call sites and static branches included. What is not mapped in the module area reads as zeros.
 * gdb and `dis` read it. Linux's also holds the memory of the machine and of vmalloc().
 */
#include "arch/unwind/maccess.h"
#include "arch/mm/pgtable.h"
#include "fs/exec/elf.h"
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sections.h"

/*
 * The image in two parts: between them lie the init sections, which the boot frees. The module area
 * is behind it.
 */
static const struct {
	const u8 *start, *end;
	u32 flags;
} parts[] = {
	{ (const u8 *)_stext, (const u8 *)__init_begin, PF_R | PF_W | PF_X },
	{ (const u8 *)__bss_start, (const u8 *)_end, PF_R | PF_W },
	{ (const u8 *)MODULES_START, (const u8 *)MODULES_END, PF_R | PF_W | PF_X },
};

/* The beginning of the file. */
struct kcore_head {
	struct elf64_hdr elf;
	struct elf64_phdr parts[ARRAY_SIZE(parts)];
};

#define ELFCLASS64  2
#define ELFDATA2LSB 1
#define EV_CURRENT  1
#define ET_CORE     4

#define DATA_OFFSET PAGE_SIZE
BUILD_BUG_ON(sizeof(struct kcore_head) > DATA_OFFSET);

static bool is_of_modules(const u8 *start)
{
	return start == (const u8 *)MODULES_START;
}

/* Where a byte is in the file. */
static u64 offset_of(const u8 *address)
{
	return DATA_OFFSET + (u64)(address - (const u8 *)_stext);
}

static void make_head(struct kcore_head *head)
{
	*head = (struct kcore_head){
		.elf = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_CORE,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = offsetof(struct kcore_head, parts),
			 .e_ehsize = sizeof(struct elf64_hdr),
			 .e_phentsize = sizeof(struct elf64_phdr),
			 .e_phnum = ARRAY_SIZE(parts) },
	};
	for (unsigned i = 0; i < ARRAY_SIZE(parts); i++)
		head->parts[i] = (struct elf64_phdr){
			.p_type = PT_LOAD,
			.p_flags = parts[i].flags,
			.p_offset = offset_of(parts[i].start),
			.p_vaddr = (u64)parts[i].start,
			.p_paddr = is_of_modules(parts[i].start) ? 0 : __pa(parts[i].start),
			.p_filesz = (u64)(parts[i].end - parts[i].start),
			.p_memsz = (u64)(parts[i].end - parts[i].start),
			.p_align = PAGE_SIZE
		};
}

/* Copies from the module area, page by page: pages may come and go at any time. */
static void copy_modules(char *buf, const u8 *from, size_t count)
{
	while (count) {
		size_t n = min(count, PAGE_SIZE - ((unsigned long)from & (PAGE_SIZE - 1)));

		if (copy_from_kernel_nofault(buf, from, n))
			memset(buf, 0, n);
		buf += n;
		from += n;
		count -= n;
	}
}

/*
 * Copies what the file has at pos and behind: a part of the head, of the image or of modules; zeros
 * between them.
 */
static int copy_part(char *buf, size_t count, u64 pos)
{
	struct kcore_head head;

	memset(buf, 0, count);
	if (pos < sizeof(head)) {
		make_head(&head);
		memcpy(buf, (const char *)&head + pos, min(count, sizeof(head) - pos));
		return 0;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(parts); i++) {
		u64 start = offset_of(parts[i].start), end = offset_of(parts[i].end);
		u64 from = max(pos, start), to = min(pos + count, end);

		if (from < to && is_of_modules(parts[i].start))
			copy_modules(buf + (from - pos), parts[i].start + (from - start),
				     to - from);
		else if (from < to &&
			 copy_from_kernel_nofault(buf + (from - pos),
						  parts[i].start + (from - start), to - from))
			return -EFAULT;
	}
	return 0;
}

static ssize_t kcore_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	u64 at = (u64)*pos, end = offset_of((const u8 *)MODULES_END);
	size_t done = 0;

	(void)file;
	count = at < end ? min(count, (size_t)(end - at)) : 0;
	while (done < count) {
		u64 boundary = at < sizeof(struct kcore_head) ? sizeof(struct kcore_head) : end;
		size_t n = min(count - done, (size_t)(boundary - at));

		if (copy_part(buf + done, n, at))
			return done ? (ssize_t)done : -EFAULT;
		done += n;
		at += n;
		*pos += (loff_t)n;
	}
	return (ssize_t)done;
}

static int kcore_open(struct inode *inode, struct file *file)
{
	(void)inode, (void)file;
	return capable(CAP_SYS_RAWIO) ? 0 : -EPERM;
}

static const struct file_operations kcore_fops = {
	.open = kcore_open,
	.read = kcore_read,
	.llseek = generic_file_llseek,
};

static int __init proc_kcore_init(void)
{
	struct dentry *dentry = proc_create("kcore", 0400, NULL, &kcore_fops);

	if (!dentry)
		return -ENOMEM;
	dentry->d_inode->i_size = (loff_t)offset_of((const u8 *)MODULES_END);
	return 0;
}
device_initcall(proc_kcore_init);
