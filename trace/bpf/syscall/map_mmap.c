/*
 * Maps in the memory of programs. A mapping that can be written is a writer of the map for as long
 * as it exists: until then the map cannot be frozen, and a frozen one gets no such mapping. So what
 * the verifier has read in a frozen map stays true.
 */
#include "kernel/vm/mm.h"
#include "trace/bpf/syscall/objects.h"

static void map_vm_open(struct vm_area_struct *vma)
{
	struct bpf_map *map = vma->vm_private_data;

	/* A copy of an area that counts: the map is not frozen. */
	if (vma->vm_flags & VM_MAYWRITE)
		(void)bpf_map_write_begin(map);
}

static void map_vm_close(struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_MAYWRITE)
		bpf_map_write_end(vma->vm_private_data);
}

static unsigned map_vm_fault(struct vm_fault *vmf)
{
	struct bpf_map *map = vmf->vma->vm_private_data;

	vmf->page = map->ops->mmap_page(map, vmf->pgoff);
	if (!vmf->page)
		return VM_FAULT_SIGBUS;
	get_page(vmf->page);
	return 0;
}

static const char *map_vm_name(struct vm_area_struct *vma __unused)
{
	return "anon_inode:bpf-map";
}

static const struct vm_operations_struct map_vm_ops = {
	.open = map_vm_open,
	.close = map_vm_close,
	.fault = map_vm_fault,
	.name = map_vm_name,
};

int bpf_map_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct bpf_map *map = file->private_data;
	bool write = vma->vm_flags & VM_WRITE;
	int error;

	if (!map->ops->mmap)
		return -ENOTSUPP;
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (write && (map->map_flags & BPF_F_RDONLY_PROG))
		return bpf_map_is_frozen(map) ? -EPERM : -EACCES;
	if (write && !bpf_map_write_begin(map))
		return -EPERM;
	vma->vm_ops = &map_vm_ops;
	vma->vm_private_data = map;
	vma->vm_flags &= ~VM_MAYEXEC;
	vma->vm_flags |= VM_DONTEXPAND | VM_DONTDUMP;
	if (!write)
		vma->vm_flags &= ~VM_MAYWRITE; /* mprotect(2) does not add it later */
	error = map->ops->mmap(map, vma);
	if (error && write)
		bpf_map_write_end(map);
	return error;
}
