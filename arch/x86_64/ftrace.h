/*
 * The machine's part of dynamic ftrace: what a call site calls, what that saves (ftrace_entry.asm),
 * and trampolines that call one callback (ftrace_trampoline.c).
 */
#pragma once

#include "arch/ptrace.h"
#include "kernel/compiler.h"

struct ftrace_ops;
struct text_patch;

/*
 * What ftrace_caller saved: the integer arguments and ax. ftrace_regs_caller fills all of it in. It
 * lies on the stack of the task, and may be changed: ftrace_caller restores the same, the other one
 * all of it. Where the function goes on: ftrace_instruction_pointer_set().
 */
struct ftrace_regs {
	struct pt_regs regs;
};

/* One instruction, a return. As the func of an ops: it is registered, but never called. */
void ftrace_stub(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		 struct ftrace_regs *fregs);

/* All registers, or NULL if only the arguments were saved. */
static __always_inline struct pt_regs *ftrace_get_regs(struct ftrace_regs *fregs)
{
	return fregs->regs.cs ? &fregs->regs : NULL;
}

/* Argument n (0..5) of the traced function, if it is an integer or a pointer (System V ABI). */
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

/*
 * Where the call site's return address lies: above fregs are a word of padding and the stub's two
 * frames (4 words), in both variants. ftrace_caller goes on there, ftrace_regs_caller at regs.ip.
 */
static __always_inline unsigned long *ftrace_regs_site_slot(struct ftrace_regs *fregs)
{
	return (unsigned long *)(fregs + 1) + 5;
}

/* For callbacks with FTRACE_OPS_FL_IPMODIFY: go on at ip and not behind the call site. */
static __always_inline void ftrace_instruction_pointer_set(struct ftrace_regs *fregs,
							   unsigned long ip)
{
	fregs->regs.ip = ip;
	*ftrace_regs_site_slot(fregs) = ip;
}

/*
 * The same, instead of the function: have its caller believe that it returned value. Names of Linux
 * (include/linux/ftrace.h).
 */
static inline void ftrace_regs_set_return_value(struct ftrace_regs *fregs, unsigned long value)
{
	fregs->regs.ax = value;
}
static inline void ftrace_override_function_with_return(struct ftrace_regs *fregs)
{
	ftrace_instruction_pointer_set(fregs, (unsigned long)ftrace_stub);
}

/* Where the traced function's own return address lies on the stack: a callback may change it. */
static __always_inline unsigned long *ftrace_regs_return_slot(struct ftrace_regs *fregs)
{
	return ftrace_regs_site_slot(fregs) + 1;
}

/*
 * Where return_to_handler (fgraph_entry.asm), whose fregs these are, has put its own address back:
 * above them are a word for the alignment and rbp.
 */
static inline unsigned long *fgraph_return_slot(struct ftrace_regs *fregs)
{
	return (unsigned long *)(fregs + 1) + 2;
}

/*
 * For self-tests: call fn with the registers of *regs, r15 to di; they become what they are when it
 * has returned (selftest/arch/ftrace_entry.asm).
 */
void ftrace_call_with_regs(void (*fn)(void), struct pt_regs *regs);

/* What gcc -pg -mfentry has every function call, before it is made a nop: returns. */
void __fentry__(void);
/* What the sites call that several ops want: ftrace_ops_list_func(), with arguments or all regs. */
void ftrace_caller(void);
void ftrace_regs_caller(void);
/* Where a function returns to whose return address was replaced (fgraph_entry.asm), and its end. */
void return_to_handler(void);
extern char return_to_handler_end[];
/* The return address on the stack of whom it has called: as long it keeps preemption off. */
extern const unsigned long return_to_handler_called;

typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			      struct ftrace_regs *fregs);

/*
 * Make code like ftrace_caller (or ftrace_regs_caller) that calls func with op. Its address, within
 * reach of all sites, and *size, its bytes; 0 without memory. Task context.
 */
unsigned long arch_ftrace_trampoline_create(bool save_regs, ftrace_func_t func,
					    struct ftrace_ops *op, size_t *size);
/* Nobody is in it or can get there: int3 all over it, for others to use. Task context. */
void arch_ftrace_trampoline_free(unsigned long trampoline, size_t size);
/* The patch that has a trampoline call `to` instead of `from`. Any context. */
void arch_ftrace_trampoline_patch(struct text_patch *patch, unsigned long trampoline,
				  bool save_regs, ftrace_func_t from, ftrace_func_t to);
/* Is ip in ftrace_caller, ftrace_regs_caller or return_to_handler? Any context. */
bool arch_is_ftrace_caller(unsigned long ip);
/*
 * For ever and at once: a trampoline, and ftrace_caller and ftrace_regs_caller, do not call
 * anybody any more. Any context.
 */
void arch_ftrace_trampoline_silence(unsigned long trampoline, bool save_regs);
void arch_ftrace_callers_silence(void);
