/*
 * Patches of files: bytes that private areas of a file show otherwise than the file itself. uprobes
 * put their breakpoints and reference counters into programs with them (trace/uprobes/).
 *
 * A page with patches is never shown from the file: a fault makes a private copy, as a write would,
 * and patches the copy. So areas that come later need no care: mmap, exec, fork, mremap and
 * MADV_DONTNEED all end in faults. vm_patch_add() patches the copies that are there, and removes
 * the other pages from the page tables. Shared areas show the file as it is.
 *
 * Locks: vm_mapping.lock, inside mmap_lock and outside page_table_lock. Task context.
 */
#pragma once

#include "kernel/lib/rbtree.h"
#include "kernel/vm/mm_types.h"

enum vm_patch_kind {
	VM_PATCH_BREAKPOINT, /* int3 in place of one byte, in areas for text that is not writable */
	VM_PATCH_COUNTER,    /* 1 is added to two bytes */
};

struct vm_patch {
	struct rb_node node; /* [vm_mapping.lock] in vm_mapping.patches, by offset */
	u64 offset;          /* [C] in the file; a counter has an even one */
	u8 kind;             /* [C] enum vm_patch_kind */
	u8 opcode;           /* [C] the byte that the breakpoint replaces */
	/*
	 * [C] Whether a program gets the breakpoint; NULL: all do. Called with vm_mapping.lock
	 * held. vm_patch_update() must follow when the answers change.
	 */
	bool (*wanted)(const struct vm_patch *patch, struct mm_struct *mm);
};

/* Patches all programs. */
void vm_patch_add(struct vm_mapping *mapping, struct vm_patch *patch);
/*
 * Takes the patch back in all programs. A page without any more patches that is like original, the
 * file's page, goes: the program shows the file again. original: NULL if the file has no page.
 */
void vm_patch_remove(struct vm_mapping *mapping, struct vm_patch *patch,
		     const struct page *original);
/* Asks wanted() again for all programs, and puts the breakpoint in or takes it back. */
void vm_patch_update(struct vm_mapping *mapping, const struct vm_patch *patch,
		     const struct page *original);
