/*
 * The architecture's part of dynamic ftrace: the code that call sites call, the registers that it
 * saves (ftrace_entry.asm), and trampolines that call one callback (ftrace_trampoline.c).
 */
#pragma once

#include "arch/cpu/ptrace.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/compiler.h"

struct ftrace_ops;
struct text_patch;

/*
 * Saved registers. ftrace_caller saves the integer arguments; ftrace_regs_caller saves all
 * registers. The structure is on the stack of the task. A callback may change it: both restore the
 * registers that they have saved. ftrace_instruction_pointer_set() changes the address where
 * execution continues. The words of registers that are not saved have no meaning.
 */
struct ftrace_regs {
	struct pt_regs regs;
};

/* Returns at once. An ops with this func is registered, but ftrace never calls it. */
void ftrace_stub(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		 struct ftrace_regs *fregs);

/* Calls the code at r10, which returns to the address in r11; all other registers stay. */
void ftrace_direct_caller(void);

/* Returns all registers of a function's entry, or NULL if only the arguments were saved. */
static __always_inline struct pt_regs *ftrace_get_regs(struct ftrace_regs *fregs)
{
	return *(const unsigned long *)(fregs + 1) & FTRACE_ALL_SAVED ? &fregs->regs : NULL;
}

/* Returns argument n (0..5) of the traced function: an integer or a pointer (System V ABI). */
static inline u64 ftrace_get_argument(const struct ftrace_regs *fregs, unsigned n)
{
	switch (n) {
	case 0:
		return fregs->regs.di;
	case 1:
		return fregs->regs.si;
	case 2:
		return fregs->regs.dx;
	case 3:
		return fregs->regs.cx;
	case 4:
		return fregs->regs.r8;
	case 5:
		return fregs->regs.r9;
	default:
		return 0;
	}
}

#define FTRACE_REGS_MAX_ARGS 6
/* Stores the arguments 0..5. args need not be aligned. */
static __always_inline void ftrace_get_arguments(const struct ftrace_regs *fregs, void *args)
{
	const unsigned long values[FTRACE_REGS_MAX_ARGS] = { fregs->regs.di, fregs->regs.si,
							     fregs->regs.dx, fregs->regs.cx,
							     fregs->regs.r8, fregs->regs.r9 };

	__builtin_memcpy(args, values, sizeof(values));
}

/*
 * Returns the place of the call site's return address: above fregs is the rbp of the site, in both
 * variants. ftrace_caller continues at the address in this place, ftrace_regs_caller at regs.ip.
 */
static __always_inline unsigned long *ftrace_regs_site_slot(struct ftrace_regs *fregs)
{
	return (unsigned long *)(fregs + 1) + 1;
}

/* For callbacks with FTRACE_OPS_FL_IPMODIFY: execution continues at ip, not after the call site. */
static __always_inline void ftrace_instruction_pointer_set(struct ftrace_regs *fregs,
							   unsigned long ip)
{
	fregs->regs.ip = ip;
	*ftrace_regs_site_slot(fregs) = ip;
}

/*
 * The next two, for the same callbacks, skip the function: its caller continues, and sees value as
 * the result. Names of Linux (include/linux/ftrace.h). The ops needs FTRACE_OPS_FL_SAVE_REGS, too:
 * ax is no argument, and ftrace_caller does not restore it.
 */
static inline void ftrace_regs_set_return_value(struct ftrace_regs *fregs, unsigned long value)
{
	fregs->regs.ax = value;
}
static inline void ftrace_override_function_with_return(struct ftrace_regs *fregs)
{
	ftrace_instruction_pointer_set(fregs, (unsigned long)ftrace_stub);
}

/* Returns bp at the call site. */
static inline unsigned long ftrace_regs_bp(const struct ftrace_regs *fregs)
{
	return *(const unsigned long *)(fregs + 1) & ~FTRACE_ALL_SAVED;
}

/* Returns the place of the traced function's own return address. A callback may change it. */
static __always_inline unsigned long *ftrace_regs_return_slot(struct ftrace_regs *fregs)
{
	return ftrace_regs_site_slot(fregs) + 1;
}

/*
 * Returns the place where return_to_handler (fgraph_entry.asm) has written its own address. fregs
 * are those that it has made; above them are a word for the alignment and rbp.
 */
static inline unsigned long *fgraph_return_slot(struct ftrace_regs *fregs)
{
	return (unsigned long *)(fregs + 1) + 2;
}

/* Returns bp behind the return, for the same fregs. */
static inline unsigned long fgraph_regs_bp(const struct ftrace_regs *fregs)
{
	return ((const unsigned long *)(fregs + 1))[1];
}

/*
 * For self-tests: loads the registers r15 to di and the flags from *regs, calls fn, and stores them
 * in *regs (selftest/arch/ftrace_entry.asm).
 */
void ftrace_call_with_regs(void (*fn)(void), struct pt_regs *regs);

/* With gcc -pg -mfentry every function calls it, until boot makes a nop of the call. Returns. */
void __fentry__(void);
/*
 * Sites with several ops call these. They call ftrace_ops_list_func() with the arguments, or with
 * all registers.
 */
void ftrace_caller(void);
void ftrace_regs_caller(void);
/* A traced function returns to return_to_handler (fgraph_entry.asm). */
void return_to_handler(void);
extern char return_to_handler_end[];
/*
 * The return address of the call in return_to_handler. While it is on the stack,
 * return_to_handler has preemption off.
 */
extern const unsigned long return_to_handler_called;

typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			      struct ftrace_regs *fregs);

/* What a trampoline saves: an index of ftrace_templates (ftrace_entry.asm). */
enum ftrace_save {
	FTRACE_SAVE_ARGS, /* as ftrace_caller */
	FTRACE_SAVE_REGS, /* as ftrace_regs_caller */
};
/*
 * Makes code like ftrace_caller that calls func with op, within reach of a near call from all
 * sites. Returns its address and *size in bytes; 0 without memory. Task context.
 */
unsigned long arch_ftrace_trampoline_create(enum ftrace_save save, ftrace_func_t func,
					    struct ftrace_ops *op, size_t *size);
/* Frees a trampoline that no CPU executes or can reach: fills it with int3. Task context. */
void arch_ftrace_trampoline_free(unsigned long trampoline, size_t size);
/* Makes the patch that lets a trampoline call `to` instead of `from`. Any context. */
void arch_ftrace_trampoline_patch(struct text_patch *patch, unsigned long trampoline,
				  enum ftrace_save save, ftrace_func_t from, ftrace_func_t to);
/* True if ip is in assembly that calls callbacks, or the C code around them. Any context. */
bool arch_is_ftrace_caller(unsigned long ip);
/*
 * Remove the call of the callback from a trampoline, or from ftrace_caller and ftrace_regs_caller,
 * at once and for ever. Any context.
 */
void arch_ftrace_trampoline_silence(unsigned long trampoline, enum ftrace_save save);
void arch_ftrace_callers_silence(void);
