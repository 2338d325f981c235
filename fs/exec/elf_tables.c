/*
 * The top of the stack of a new program, from high to low: the strings that exec copied, the name
 * of the platform, 16 random bytes, the auxiliary vector, envp[], argv[], argc. The System V ABI
 * for x86_64, section 3.4.1, has the picture.
 */
#include "fs/exec/elf_tables.h"

#include "arch/user/elf.h"
#include "arch/mm/uaccess.h"
#include "fs/exec/elf.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/random/random.h"

#define AUX_ENTRIES (AT_VECTOR_SIZE / 2)

static const char platform[] = "x86_64";

/* The auxiliary vector while it is written. */
struct aux {
	u64 (*entries)[2];
	unsigned count;
};

static void add_aux(struct aux *aux, u64 key, u64 value)
{
	aux->entries[aux->count][0] = key;
	aux->entries[aux->count][1] = value;
	aux->count++;
}

static void fill_aux(struct aux *aux, const struct elf_start *start, unsigned long random_addr,
		     unsigned long platform_addr)
{
	const struct linux_binprm *bprm = start->bprm;
	const struct cred *cred = current_cred();

	if (current->mm->context.vdso)
		add_aux(aux, AT_SYSINFO_EHDR, (u64)current->mm->context.vdso);
	add_aux(aux, AT_MINSIGSTKSZ, arch_min_sigstack());
	add_aux(aux, AT_HWCAP, arch_hwcap());
	add_aux(aux, AT_PAGESZ, PAGE_SIZE);
	add_aux(aux, AT_CLKTCK, 100);
	add_aux(aux, AT_PHDR, start->phdr_addr);
	add_aux(aux, AT_PHENT, sizeof(struct elf64_phdr));
	add_aux(aux, AT_PHNUM, start->phnum);
	add_aux(aux, AT_BASE, start->interp_base);
	add_aux(aux, AT_FLAGS, 0);
	add_aux(aux, AT_ENTRY, start->entry);
	add_aux(aux, AT_UID, cred->uid);
	add_aux(aux, AT_EUID, cred->euid);
	add_aux(aux, AT_GID, cred->gid);
	add_aux(aux, AT_EGID, cred->egid);
	add_aux(aux, AT_SECURE, bprm->secureexec);
	add_aux(aux, AT_RANDOM, random_addr);
	add_aux(aux, AT_HWCAP2, arch_hwcap2());
	add_aux(aux, AT_EXECFN, bprm->exec);
	add_aux(aux, AT_PLATFORM, platform_addr);
	add_aux(aux, AT_NULL, 0);
}

/* Writes the addresses of count strings that begin at *addr, and a NULL. 0 or -EFAULT. */
static int fill_pointers(u64 *to, int count, unsigned long *addr)
{
	for (int i = 0; i < count; i++) {
		long len = strnlen_user((const char __user *)*addr, (long)MAX_ARG_STRLEN);

		if (!len || len > (long)MAX_ARG_STRLEN)
			return -EFAULT;
		to[i] = *addr;
		*addr += (unsigned long)len;
	}
	to[count] = 0;
	return 0;
}

/* Fills words, which start->stack will show, and sets the ranges of the strings. */
static int fill_words(u64 *words, struct elf_start *start)
{
	struct linux_binprm *bprm = start->bprm;
	struct mm_struct *mm = current->mm;
	unsigned long addr = bprm->p;
	int error;

	words[0] = (u64)bprm->argc;
	mm->arg_start = addr;
	error = fill_pointers(words + 1, bprm->argc, &addr);
	if (error)
		return error;
	mm->arg_end = mm->env_start = addr;
	error = fill_pointers(words + 1 + bprm->argc + 1, bprm->envc, &addr);
	mm->env_end = addr;
	return error;
}

int create_elf_tables(struct elf_start *start)
{
	struct linux_binprm *bprm = start->bprm;
	struct mm_struct *mm = current->mm;
	size_t pointers = 1 + (size_t)bprm->argc + 1 + (size_t)bprm->envc + 1, size;
	unsigned long platform_addr, random_addr;
	struct aux aux = { 0 };
	u8 random[16];
	u64 *words;
	int error;

	platform_addr = (bprm->p & ~15UL) - sizeof(platform);
	random_addr = (platform_addr - sizeof(random)) & ~15UL;
	get_random_bytes(random, sizeof(random));
	if (copy_to_user((void __user *)platform_addr, platform, sizeof(platform)) ||
	    copy_to_user((void __user *)random_addr, random, sizeof(random)))
		return -EFAULT;

	words = kvzalloc(pointers * sizeof(u64) + sizeof(mm->saved_auxv), GFP_KERNEL);
	if (!words)
		return -ENOMEM;
	aux.entries = (u64(*)[2])(words + pointers);
	fill_aux(&aux, start, random_addr, platform_addr);
	size = pointers * sizeof(u64) + aux.count * sizeof(*aux.entries);
	start->stack = (random_addr - size) & ~15UL;
	mmap_write_lock(mm);
	memcpy(mm->saved_auxv, aux.entries, sizeof(mm->saved_auxv));
	mm->start_stack = start->stack;
	mmap_write_unlock(mm);
	error = fill_words(words, start);
	if (!error && copy_to_user((void __user *)start->stack, words, size))
		error = -EFAULT;
	kvfree(words);
	return error;
}
