/* What kernel/jump_label*.c share. [J] jump_label_mutex. */
#pragma once

#include "arch/patch/insn_site.h"
#include "arch/patch/text_patch.h"
#include "kernel/jump_label.h"
#include "kernel/lib/list.h"

struct mutex;

/* A batch with more sites than these allocates memory, or applies them in several parts. */
#define FEW_SITES 32

extern struct mutex jump_label_mutex;
extern struct jump_entry *jump_entries_sorted, *jump_entries_end;
extern struct text_patch few_patches[FEW_SITES];
extern struct list_head module_tables;

/* The sites of a module. The tables are in the order of addresses, behind the kernel's. */
struct jump_table {
	struct list_head list;      /* [J] in module_tables */
	struct jump_entry *entries; /* sorted by code; in the module */
	unsigned count;             /* [J] less when init text has gone */
};

/* The patches that wait for text_patch_apply(), sorted by address. */
struct patch_queue {
	struct text_patch *patches;
	size_t count, room;
	int error; /* of the parts that were applied */
};

static inline bool is_likely(const struct jump_entry *entry)
{
	return entry->key & JUMP_ENTRY_LIKELY;
}

static inline bool is_insn(const struct jump_entry *entry)
{
	return entry->key & JUMP_ENTRY_INSN;
}

static inline const struct insn_site *insn_site_of(const struct jump_entry *entry)
{
	return (const struct insn_site *)jump_entry_target(entry);
}

/* Fills the patch that brings a site into the state of its key. */
static __always_inline void make_patch(struct text_patch *patch, const struct jump_entry *entry,
				       bool on)
{
	bool to_nop = on == is_likely(entry);

	if (is_insn(entry)) {
		arch_insn_site_patch(patch, jump_entry_code(entry), insn_site_of(entry), on);
		return;
	}
	patch->addr = jump_entry_code(entry);
	__builtin_memcpy(to_nop ? patch->new : patch->old, text_nop5, TEXT_PATCH_SIZE);
	text_encode_jmp(to_nop ? patch->old : patch->new, patch->addr, jump_entry_target(entry));
}

/* Applies the queue. Reports and leaves out sites that do not hold their old bytes. */
void apply_queue(struct patch_queue *queue);
/* Makes the entries absolute, and sorts them. J held, or boot. */
void prepare_entries(struct jump_entry *first, struct jump_entry *end);
/* Drops the entries of [start, end) from a table. Returns how many are left. J held. */
unsigned drop_entries(struct jump_entry *entries, unsigned count, unsigned long start,
		      unsigned long end);
