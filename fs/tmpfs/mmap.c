/* Memory of programs that shows files of tmpfs. */
#include "fs/tmpfs/tmpfs.h"
#include "fs/vfs/hooks.h"
#include "kernel/init.h"
#include "kernel/vm/mm.h"

/* For a new area of a program; may take VM_MAYWRITE away. */
static int check_seals_mmap(const struct inode *inode, struct vm_area_struct *vma)
{
	if (!(READ_ONCE(tmpfs_i(inode)->seals) & F_SEAL_FUTURE_WRITE) ||
	    !(vma->vm_flags & VM_SHARED))
		return 0;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vma->vm_flags &= ~VM_MAYWRITE; /* and mprotect(2) does not add it later */
	return 0;
}

static unsigned tmpfs_fault(struct vm_fault *vmf)
{
	struct vm_mapping *vm = vmf->vma->vm_mapping;
	struct address_space *mapping = container_of(vm, struct address_space, i_mmap);
	struct inode *inode = mapping->host;
	unsigned ret = 0;

	down_read(&mapping->fault_lock);
	if (vmf->pgoff >= DIV_ROUND_UP((u64)READ_ONCE(inode->i_size), PAGE_SIZE)) {
		ret = VM_FAULT_SIGBUS;
	} else {
		struct page *page = tmpfs_get_page(inode, vmf->pgoff);

		if (!IS_ERR(page))
			vmf->page = page;
		else
			ret = PTR_ERR(page) == -ENOMEM ? VM_FAULT_OOM : VM_FAULT_SIGBUS;
	}
	up_read(&mapping->fault_lock);
	return ret;
}

static bool tmpfs_cached(struct vm_area_struct *vma, u64 pgoff)
{
	struct page *page = find_get_page(vma->vm_file->f_inode->i_mapping, pgoff);

	if (page)
		put_page(page);
	return page;
}

static const struct vm_operations_struct tmpfs_vm_operations = {
	.fault = tmpfs_fault,
	.cached = tmpfs_cached,
};

static int tmpfs_mmap(struct file *file, struct vm_area_struct *vma)
{
	int err = check_seals_mmap(file->f_inode, vma);

	if (err)
		return err;
	vma->vm_ops = &tmpfs_vm_operations;
	vma->vm_mapping = &file->f_inode->i_mapping->i_mmap;
	return 0;
}

static int __init tmpfs_mmap_init(void)
{
	vfs_hooks.tmpfs_mmap = tmpfs_mmap;
	return 0;
}
early_initcall(tmpfs_mmap_init);
