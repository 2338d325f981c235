/*
 * ELF programs: static, static at any address, and with an interpreter (the dynamic linker).
 *
 * The segments of the file become areas of the address space; what lies behind the file's bytes of
 * a segment is zero. With PT_INTERP the interpreter is mapped, too, and starts instead of the
 * program.
 */
#include "fs/exec/elf.h"

#include "arch/user/process.h"
#include "arch/mm/uaccess.h"
#include "arch/user/vdso.h"
#include "fs/exec/binprm.h"
#include "fs/exec/elf_tables.h"
#include "fs/vfs/open.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/sched.h"

/* Programs that may lie anywhere begin here, if they have an interpreter: two thirds up. */
#define ELF_ET_DYN_BASE ((TASK_SIZE_MAX + 1) / 3 * 2)
#define ET_DYN_RANDOM   (1UL << 40) /* 28 bits of pages */
#define BRK_RANDOM      (32UL << 20)

#define page_start(addr)  ALIGN_DOWN(addr, PAGE_SIZE)
#define page_offset(addr) ((addr) & (PAGE_SIZE - 1))

/* A file that is being mapped. */
struct elf_image {
	struct file *file;
	struct elf64_hdr hdr;
	struct elf64_phdr *phdrs; /* kmalloc()ed */
	/* The result of map_image(): */
	unsigned long load_bias; /* address in memory minus address in the file */
	unsigned long bss_end;   /* the end of its memory */
	unsigned long start_code, end_code, start_data, end_data;
	unsigned long phdr_addr; /* of the program headers in memory; 0: they are not there */
};

/* Whether the header is of a program for this machine. */
static bool elf_valid(const struct elf64_hdr *hdr)
{
	static const u8 magic[4] = { 0x7f, 'E', 'L', 'F' }; /* Linux looks at no more of it */

	return !memcmp(hdr->e_ident, magic, sizeof(magic)) && hdr->e_machine == EM_X86_64 &&
	       (hdr->e_type == ET_EXEC || hdr->e_type == ET_DYN) &&
	       hdr->e_phentsize == sizeof(struct elf64_phdr) && hdr->e_phnum &&
	       hdr->e_phnum <= 65536 / sizeof(struct elf64_phdr);
}

static int read_phdrs(struct elf_image *image)
{
	size_t size = image->hdr.e_phnum * sizeof(struct elf64_phdr);

	image->phdrs = kmalloc(size, GFP_KERNEL);
	if (!image->phdrs)
		return -ENOMEM;
	return read_program(image->file, image->phdrs, size, (loff_t)image->hdr.e_phoff);
}

/* Opens the interpreter that ph names, and reads its headers. */
static int open_interpreter(const struct file *program, const struct elf64_phdr *ph,
			    struct elf_image *interp)
{
	char *name;
	int error;

	if (ph->p_filesz < 2 || ph->p_filesz > PATH_MAX)
		return -ENOEXEC;
	name = kmalloc(ph->p_filesz, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	error = read_program((struct file *)program, name, ph->p_filesz, (loff_t)ph->p_offset);
	if (!error && name[ph->p_filesz - 1])
		error = -ENOEXEC;
	if (!error) {
		struct file *file = open_exec(AT_FDCWD, name, 0);

		if (IS_ERR(file))
			error = (int)PTR_ERR(file);
		else
			interp->file = file;
	}
	kfree(name);
	if (error)
		return error;
	error = read_program(interp->file, &interp->hdr, sizeof(interp->hdr), 0);
	if (error)
		return error;
	return elf_valid(&interp->hdr) ? read_phdrs(interp) : -ELIBBAD;
}

/* The first and the last address of all PT_LOAD segments, as in the file. False: there is none. */
static bool image_range(const struct elf_image *image, unsigned long *start, unsigned long *end)
{
	*start = ~0UL;
	*end = 0;
	for (unsigned i = 0; i < image->hdr.e_phnum; i++) {
		const struct elf64_phdr *ph = &image->phdrs[i];

		if (ph->p_type != PT_LOAD)
			continue;
		*start = min(*start, page_start(ph->p_vaddr));
		*end = max(*end, ph->p_vaddr + ph->p_memsz);
	}
	return *start < *end;
}

static bool segment_valid(const struct elf64_phdr *ph)
{
	/*
	 * LAB 12: The file may be damaged: a sum may wrap.
	 * Starts as: (void)ph;
	 * return true;
	 */
	return ph->p_filesz <= ph->p_memsz && ph->p_memsz <= TASK_SIZE_MAX &&
	       ph->p_vaddr <= TASK_SIZE_MAX - ph->p_memsz &&
	       page_offset(ph->p_vaddr) == page_offset(ph->p_offset);
	/* END LAB 12 */
}

static unsigned long segment_prot(const struct elf64_phdr *ph)
{
	/*
	 * LAB 12: A segment gets the rights that its flags ask for.
	 * Starts as: (void)ph;
	 * return PROT_READ | PROT_WRITE | PROT_EXEC;
	 */
	return (ph->p_flags & PF_R ? PROT_READ : 0) | (ph->p_flags & PF_W ? PROT_WRITE : 0) |
	       (ph->p_flags & PF_X ? PROT_EXEC : 0);
	/* END LAB 12 */
}

/* The memory of a segment behind its bytes in the file: zeros. */
static int map_bss(const struct elf64_phdr *ph, unsigned long bias)
{
	unsigned long start = ph->p_vaddr + bias + ph->p_filesz;
	unsigned long end = ph->p_vaddr + bias + ph->p_memsz;
	unsigned long whole = ALIGN(start, PAGE_SIZE);

	if (start == end)
		return 0;
	/*
	 * Clears the rest of the last page, because glibc's ld.so puts its first objects there. A
	 * read-only segment keeps what the file has.
	 */
	if (ph->p_filesz && page_offset(start) && (ph->p_flags & PF_W) &&
	    clear_user((void __user *)start, whole - start))
		return -EFAULT;
	if (!ph->p_filesz)
		whole = page_start(start);
	end = ALIGN(end, PAGE_SIZE);
	return end > whole ? vm_brk_flags(whole, end - whole, ph->p_flags & PF_X ? VM_EXEC : 0) : 0;
}

static int map_segment(const struct elf_image *image, const struct elf64_phdr *ph,
		       unsigned long fixed)
{
	unsigned long addr = page_start(ph->p_vaddr + image->load_bias);
	unsigned long len = ALIGN(ph->p_filesz + page_offset(ph->p_vaddr), PAGE_SIZE);

	if (ph->p_filesz) {
		unsigned long ret = vm_mmap(image->file, addr, len, segment_prot(ph),
					    MAP_PRIVATE | fixed, page_start(ph->p_offset));

		if (IS_ERR((void *)ret))
			return (int)(long)ret == -EEXIST ? -ENOMEM : (int)(long)ret;
	}
	return map_bss(ph, image->load_bias);
}

/* Notes what the segment is, for /proc and for brk(2). */
static void note_segment(struct elf_image *image, const struct elf64_phdr *ph)
{
	unsigned long start = ph->p_vaddr + image->load_bias, end = start + ph->p_filesz;

	if ((ph->p_flags & PF_X) && start < image->start_code)
		image->start_code = start;
	if ((ph->p_flags & PF_X) && end > image->end_code)
		image->end_code = end;
	if (start >= image->start_data) {
		image->start_data = start;
		image->end_data = max(image->end_data, end);
	}
	image->bss_end = max(image->bss_end, start + ph->p_memsz);
	if (image->hdr.e_phoff >= ph->p_offset && image->hdr.e_phoff < ph->p_offset + ph->p_filesz)
		image->phdr_addr = image->hdr.e_phoff - ph->p_offset + start;
}

/*
 * Maps all segments. An image that may lie anywhere goes to base, or, if base is 0, where mmap()
 * finds room. 0 or a negative errno.
 */
static int map_image(struct elf_image *image, unsigned long base)
{
	unsigned long start, end, addr;
	int error;

	if (!image_range(image, &start, &end))
		return -ENOEXEC;
	if (image->hdr.e_type == ET_DYN) {
		/* Reserve room for all of it, so that no segment lands on something else. */
		addr = vm_mmap(NULL, base, ALIGN(end - start, PAGE_SIZE), PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				       (base ? MAP_FIXED_NOREPLACE : 0),
			       0);
		if (IS_ERR((void *)addr))
			return (int)(long)addr;
		error = vm_munmap(addr, ALIGN(end - start, PAGE_SIZE));
		if (error)
			return error;
		image->load_bias = addr - start;
	}
	image->start_code = ~0UL;
	for (unsigned i = 0; i < image->hdr.e_phnum; i++) {
		const struct elf64_phdr *ph = &image->phdrs[i];

		if (ph->p_type != PT_LOAD)
			continue;
		if (!segment_valid(ph))
			return -EINVAL;
		error = map_segment(image, ph, MAP_FIXED_NOREPLACE);
		if (error)
			return error;
		note_segment(image, ph);
	}
	return 0;
}

/* The alignment that the segments ask for, at least a page. */
static unsigned long image_align(const struct elf_image *image)
{
	unsigned long align = PAGE_SIZE;

	for (unsigned i = 0; i < image->hdr.e_phnum; i++) {
		unsigned long wanted = image->phdrs[i].p_align;

		if (image->phdrs[i].p_type == PT_LOAD && wanted && !(wanted & (wanted - 1)))
			align = max(align, wanted);
	}
	return align;
}

/* Sets the ranges of the new address space that /proc and brk(2) know. */
static void set_ranges(const struct elf_image *image, bool interpreted)
{
	struct mm_struct *mm = current->mm;
	unsigned long brk = ALIGN(image->bss_end, PAGE_SIZE);

	/*
	 * A static program at any address lies among the areas of mmap(): its heap goes elsewhere.
	 */
	if (image->hdr.e_type == ET_DYN && !interpreted)
		brk = ALIGN(ELF_ET_DYN_BASE, PAGE_SIZE);
	mmap_write_lock(mm);
	mm->start_code = image->start_code;
	mm->end_code = image->end_code;
	mm->start_data = image->start_data;
	mm->end_data = image->end_data;
	mm->start_brk = mm->brk =
		brk + (READ_ONCE(randomize_va_space) > 1 ? randomize_offset(BRK_RANDOM) : 0);
	mmap_write_unlock(mm);
}

/* Replaces the current program. interp->file: NULL if there is no interpreter. */
static int start_elf(struct linux_binprm *bprm, struct elf_image *image, struct elf_image *interp,
		     bool exec_stack)
{
	struct elf_start start = { .bprm = bprm };
	unsigned long base = 0;
	int error = begin_new_exec(bprm);

	if (!error)
		error = setup_arg_pages(current->mm, exec_stack);
	if (error)
		return error;
	if (image->hdr.e_type == ET_DYN && interp->file)
		base = ALIGN_DOWN(ELF_ET_DYN_BASE + randomize_offset(ET_DYN_RANDOM),
				  image_align(image));
	error = map_image(image, base);
	if (!error && interp->file)
		error = map_image(interp, 0);
	if (!error)
		error = arch_setup_additional_pages(current->mm);
	if (error)
		return error;
	set_ranges(image, interp->file);
	start.entry = image->hdr.e_entry + image->load_bias;
	start.phdr_addr = image->phdr_addr;
	start.phnum = image->hdr.e_phnum;
	start.interp_base = interp->file ? interp->load_bias : 0;
	error = create_elf_tables(&start);
	if (error)
		return error;
	start_thread(interp->file ? interp->hdr.e_entry + interp->load_bias : start.entry,
		     start.stack);
	return 0;
}

int load_elf_binary(struct linux_binprm *bprm)
{
	struct elf_image image = { .file = bprm->file }, interp = { 0 };
	bool exec_stack = true; /* programs without PT_GNU_STACK are old, and may need that */
	int error;

	memcpy(&image.hdr, bprm->buf, sizeof(image.hdr));
	if (!elf_valid(&image.hdr))
		return -ENOEXEC;
	error = read_phdrs(&image) ? -ENOEXEC : 0;
	for (unsigned i = 0; !error && i < image.hdr.e_phnum; i++) {
		const struct elf64_phdr *ph = &image.phdrs[i];

		if (ph->p_type == PT_INTERP && !interp.file) {
			error = open_interpreter(image.file, ph, &interp);
			if (!error)
				would_dump(bprm, interp.file);
		} else if (ph->p_type == PT_GNU_STACK) {
			exec_stack = ph->p_flags & PF_X;
		}
	}
	if (!error)
		error = start_elf(bprm, &image, &interp, exec_stack);
	kfree(image.phdrs);
	kfree(interp.phdrs);
	if (interp.file)
		fput(interp.file);
	return error;
}
