/* The top of the stack of a new program. */
#pragma once

#include "fs/exec/binprm.h"

struct elf_start {
	struct linux_binprm *bprm;
	unsigned long entry; /* of the program itself: AT_ENTRY */
	unsigned long phdr_addr, phnum;
	unsigned long interp_base; /* AT_BASE; 0: no interpreter */
	unsigned long stack;       /* the result: the first stack pointer */
};

/*
 * Writes what a program finds at its stack pointer: argc, argv[], envp[], the auxiliary vector. The
 * current task has the new address space. 0, -EFAULT, -ENOMEM.
 */
int create_elf_tables(struct elf_start *start);
