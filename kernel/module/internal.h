/* Declarations shared by the files of kernel/module/. M: module_mutex held. */
#pragma once

#include "kernel/module/elf.h"
#include "kernel/sched/wait.h"

/* ---- memory.c ---- */

/*
 * Allocates zeroed memory in the module area, RW and not executable, with an unmapped page behind
 * it. Returns its page-aligned address, or 0. Task context.
 */
unsigned long module_memory_alloc(size_t size);
/*
 * Frees a region that no CPU uses; text, too: it is made not executable first. memory->base may be
 * 0. Task context.
 */
void module_memory_free(struct module_memory *memory);
/* Gives the regions of a module their final rights. 0 or a negative errno. Task context. */
int module_memory_protect(const struct module *mod);

/* ---- percpu.c ---- */

/* Returns the address for size bytes of per-CPU variables, or 0: no room. Task context. */
unsigned long module_percpu_alloc(size_t size);
void module_percpu_free(struct module_memory *percpu); /* base may be 0 */
/* Gives the variables of each CPU their first values. */
void module_percpu_set(const struct module_memory *percpu, const u8 *image);

/* ---- symbols.c ---- */

/* The address of a symbol that the kernel exports, or 0. Any context. */
unsigned long kernel_symbol_value(const char *name);
/* CRCs are compared unless ignore_versions. 0, or -ENOEXEC after a message. M not needed. */
int check_module_layout(const struct load_info *info, bool ignore_versions);
/*
 * Gives all symbols of the file their values: in the module's own sections, or in the kernel or a
 * LIVE module, which then has a reference. 0, -ENOENT, -EINVAL (another version), -ENOEXEC, -EBUSY
 * (the other module is not LIVE), -ENOMEM; after a message. M.
 */
int simplify_symbols(struct module *mod, const struct load_info *info, bool ignore_versions,
		     bool gpl_ok);
/* -ENOEXEC if the kernel or another module exports a symbol of the same name. M. */
int verify_exported_symbols(const struct module *mod);
/* Gives back the references to other modules. M. */
void module_unload_uses(struct module *mod);

/* ---- kallsyms.c ---- */

/* Makes the tables of the names of a module. 0 or -ENOMEM. */
int module_make_symbols(struct module *mod, const struct load_info *info);

/* ---- main.c ---- */

extern wait_queue_head_t module_wq; /* a module has become LIVE, or has gone */

/* Tells the chain. An error of a user undoes those before it. */
int module_notify_coming(struct module *mod);
void module_notify_live(struct module *mod);
void module_notify_going(struct module *mod);
/* For "[last unloaded: NAME]". M. */
void module_note_unloaded(const struct module *mod);

/* ---- load.c ---- */

/* Takes a module that is GOING out of everything, and frees it. Task context, no lock. */
void free_module(struct module *mod);
