/*
 * System calls: SYSCALL_DEFINEn() defines one, with n arguments.
 *
 *	SYSCALL_DEFINE2(dup2, unsigned int, oldfd, unsigned int, newfd)
 *	{
 *		…
 *	}
 *
 * This makes the function __x64_sys_dup2. The name is Linux's: tracers and probes show it. The
 * entry of system calls calls it with the six registers of the arguments. (Linux's function gets a
 * pointer to the saved registers, and loads each argument from there.) A program leaves any bits in
 * the upper half of the register of an int. So all parameters are unsigned long, and the function
 * casts them. Kernel tasks call it, too, as sys_dup2(), by a declaration with the real types, as in
 * fs/vfs/syscalls.h. So its name in C is __se_sys_dup2 here: the two declarations may differ. It
 * also makes an entry in the table of system calls, which describes the arguments. Their types and
 * names are Linux's, because the formats of events show them.
 *
 * __x64_sys_dup2() marks the boundary of the call for RCU-tasks (syscall_boundary()), and each end
 * has a tracepoint. So the body has neither, and one system call does not call the function of
 * another: that would be a second call in a trace.
 *
 * While one of the two tracepoints has a probe, each task has SYSCALL_WORK_TRACE. Then a function
 * of its own makes the call, so that a call without tracing keeps nothing for its end. (A static
 * branch would have a site in each system call, and enabling an event would patch them all.)
 */
#pragma once

#include "arch/cpu/linkage.h"
#include "kernel/linker_table.h"
#include "kernel/sched/quiescent.h"
#include "kernel/syscalls/raw_syscalls_events.h"
#include "kernel/syscalls/unistd.h"

#define SYSCALL_ARGS_MAX 6
#define NR_SYSCALLS      512 /* numbers are below; arch/user/entry_syscall.asm */

/* One system call. Constant. */
struct syscall_metadata {
	const char *name; /* "sys_dup2", as events show it */
	unsigned nr;      /* __NR_dup2 */
	unsigned nb_args;
	const char *const *types; /* "unsigned int", … */
	const char *const *args;  /* "oldfd", … */
	void *func;               /* long (*)(arguments) */
};

/* The table, by number. index counts from 0; NULL: no more calls. Any context. */
const struct syscall_metadata *syscall_by_index(unsigned index);
/* The index of the call with that number, or -1. Any context. */
int syscall_index(long nr);

/* The function of each number, for the entry. Read-only after the boot. */
extern void *sys_call_table[NR_SYSCALLS];
/* The function of a number without a call: counts it, and returns -ENOSYS. */
long __x64_sys_ni_syscall(void);
/* How often programs have called number nr, which has no call. nr is below NR_SYSCALLS. */
unsigned syscall_unknown_count(unsigned nr);

/* How a system call goes on. */
enum syscall_way {
	SYSCALL_DIRECT,
	SYSCALL_TRACED,   /* between its two tracepoints */
	SYSCALL_DIVERTED, /* by syscall_divert() */
};
/* The rest of syscall_boundary(), if there is work. */
enum syscall_way syscall_boundary_work(void);
/*
 * kernel/process/divert.c: makes the system call that task_pt_regs() describes, once the tracer of
 * the task has seen and perhaps changed it, and the filters of the task allow it. Until then it has
 * SYSCALL_WORK_DIVERTED, so that the function of the call does not come here again. Returns the
 * result. As a system call.
 */
long syscall_divert(void);
/* Changes syscall_trace of the current task, or of another one that its caller knows to stay. */
void set_syscall_work(struct task_struct *task, unsigned set, unsigned clear);
/*
 * Begins each system call, at a quiescent point (kernel/sched/quiescent.h). One load and one test
 * tell that the call is neither traced nor diverted and that nobody waits for the point. Task
 * context, preemption on, no lock held. The function of the system call itself is on the stack, so
 * a task leaves a live-patched one in its next, different call.
 */
static __always_inline enum syscall_way syscall_boundary(void)
{
	u32 work = READ_ONCE(current->syscall_work);

	might_sleep();
	if (likely(!work))
		return SYSCALL_DIRECT;
	return work == SYSCALL_WORK_TRACE ? SYSCALL_TRACED : syscall_boundary_work();
}

/* clang-format off */
#define SYSCALL_DEFINE1(name, ...) SYSCALL_DEFINE(1, name, __VA_ARGS__)
#define SYSCALL_DEFINE2(name, ...) SYSCALL_DEFINE(2, name, __VA_ARGS__)
#define SYSCALL_DEFINE3(name, ...) SYSCALL_DEFINE(3, name, __VA_ARGS__)
#define SYSCALL_DEFINE4(name, ...) SYSCALL_DEFINE(4, name, __VA_ARGS__)
#define SYSCALL_DEFINE5(name, ...) SYSCALL_DEFINE(5, name, __VA_ARGS__)
#define SYSCALL_DEFINE6(name, ...) SYSCALL_DEFINE(6, name, __VA_ARGS__)

/* what(type, name) for each argument, with commas between. */
#define SYSCALL_MAP1(what, type, arg)      what(type, arg)
#define SYSCALL_MAP2(what, type, arg, ...) what(type, arg), SYSCALL_MAP1(what, __VA_ARGS__)
#define SYSCALL_MAP3(what, type, arg, ...) what(type, arg), SYSCALL_MAP2(what, __VA_ARGS__)
#define SYSCALL_MAP4(what, type, arg, ...) what(type, arg), SYSCALL_MAP3(what, __VA_ARGS__)
#define SYSCALL_MAP5(what, type, arg, ...) what(type, arg), SYSCALL_MAP4(what, __VA_ARGS__)
#define SYSCALL_MAP6(what, type, arg, ...) what(type, arg), SYSCALL_MAP5(what, __VA_ARGS__)
#define SYSCALL_PARAMETER(type, arg) type arg
#define SYSCALL_RAW(type, arg)       unsigned long arg
#define SYSCALL_ARGUMENT(type, arg)  arg
#define SYSCALL_CAST(type, arg)      (type)(arg)
#define SYSCALL_TYPE_TEXT(type, arg) #type
#define SYSCALL_NAME_TEXT(type, arg) #arg
/* What an event shows of the argument: the bits of its type. */
#define SYSCALL_REGISTER(type, arg) (sizeof(type) < 8 ? (u32)(arg) : (arg))
/* clang-format on */

#ifndef NOP5_HOST
#define SYSCALL_METADATA0(name_)                                                                   \
	static const struct syscall_metadata syscall_##name_ LINKER_TABLE_ENTRY(rodata, syscalls,  \
										#name_) = {        \
		.name = "sys_" #name_,                                                             \
		.nr = __NR_##name_,                                                                \
		.func = (void *)__se_sys_##name_,                                                  \
	};
#define SYSCALL_METADATA(n, name_, ...)                                                            \
	static const char *const syscall_types_##name_[] = { SYSCALL_MAP##n(SYSCALL_TYPE_TEXT,     \
									    __VA_ARGS__) };        \
	static const char *const syscall_args_##name_[] = { SYSCALL_MAP##n(SYSCALL_NAME_TEXT,      \
									   __VA_ARGS__) };         \
	static const struct syscall_metadata syscall_##name_ LINKER_TABLE_ENTRY(rodata, syscalls,  \
										#name_) = {        \
		.name = "sys_" #name_,                                                             \
		.nr = __NR_##name_,                                                                \
		.nb_args = n,                                                                      \
		.types = syscall_types_##name_,                                                    \
		.args = syscall_args_##name_,                                                      \
		.func = (void *)__se_sys_##name_,                                                  \
	};
#else
#define SYSCALL_METADATA(n, name, ...)
#define SYSCALL_METADATA0(name)
#endif

/* The body has no symbol. If the compiler made one, it would not be that of the function. */
#define SYSCALL_BODY_SYMBOL(name) __symbol("__do_sys_" #name)
extern const unsigned long syscall_no_args[SYSCALL_ARGS_MAX]; /* all 0 */
/* The same for a call without arguments. */
#define SYSCALL_DEFINE0(name_)                                                                     \
	long __se_sys_##name_(void) SYSCALL_SYMBOL(name_);                                         \
	SYSCALL_METADATA0(name_)                                                                   \
	static __always_inline long __x64_sys_##name_(void) SYSCALL_BODY_SYMBOL(name_);            \
	static noinline long traced_sys_##name_(void)                                              \
	{                                                                                          \
		long __ret;                                                                        \
                                                                                                   \
		TRACEPOINT_WITHOUT_SITE(sys_enter, syscall_no_args, __NR_##name_);                 \
		__ret = __x64_sys_##name_();                                                       \
		TRACEPOINT_WITHOUT_SITE(sys_exit, __NR_##name_, __ret);                            \
		return __ret;                                                                      \
	}                                                                                          \
	long __se_sys_##name_(void)                                                                \
	{                                                                                          \
		enum syscall_way __way = syscall_boundary();                                       \
                                                                                                   \
		if (unlikely(__way == SYSCALL_TRACED))                                             \
			return traced_sys_##name_();                                               \
		if (unlikely(__way == SYSCALL_DIVERTED))                                           \
			return syscall_divert();                                                   \
		return __x64_sys_##name_();                                                        \
	}                                                                                          \
	static __always_inline long __x64_sys_##name_(void)

/*
 * SYSCALL_DEFINE3(write, …) { body } makes:
 *
 *	__x64_sys_write()	the body, inline in the next two. Its types are what tracers and
 *				programs of eBPF see of the function: BTF knows names in C
 *	__se_sys_write()	its symbol is __x64_sys_write; sys_call_table points to it
 *	traced_sys_write()	the same between two tracepoints, for a traced task
 *	SYSCALL_METADATA	an entry in the linker table `syscalls`, from which
 *				syscalls_init() fills sys_call_table at boot
 *
 * SYSCALL_MAP3(what, …) writes what(type, name) for each of the three arguments.
 */
#define SYSCALL_DEFINE(n, name, ...)                                                               \
	long __se_sys_##name(SYSCALL_MAP##n(SYSCALL_RAW, __VA_ARGS__)) SYSCALL_SYMBOL(name);       \
	SYSCALL_METADATA(n, name, __VA_ARGS__)                                                     \
	static __always_inline long __x64_sys_##name(                                              \
		SYSCALL_MAP##n(SYSCALL_PARAMETER, __VA_ARGS__)) SYSCALL_BODY_SYMBOL(name);         \
	static noinline long traced_sys_##name(SYSCALL_MAP##n(SYSCALL_RAW, __VA_ARGS__))           \
	{                                                                                          \
		long __ret;                                                                        \
                                                                                                   \
		TRACEPOINT_WITHOUT_SITE(sys_enter,                                                 \
					((const unsigned long[SYSCALL_ARGS_MAX]){                  \
						SYSCALL_MAP##n(SYSCALL_REGISTER, __VA_ARGS__) }),  \
					__NR_##name);                                              \
		__ret = __x64_sys_##name(SYSCALL_MAP##n(SYSCALL_CAST, __VA_ARGS__));               \
		TRACEPOINT_WITHOUT_SITE(sys_exit, __NR_##name, __ret);                             \
		return __ret;                                                                      \
	}                                                                                          \
	long __se_sys_##name(SYSCALL_MAP##n(SYSCALL_RAW, __VA_ARGS__))                             \
	{                                                                                          \
		enum syscall_way __way = syscall_boundary();                                       \
                                                                                                   \
		if (unlikely(__way == SYSCALL_TRACED))                                             \
			return traced_sys_##name(SYSCALL_MAP##n(SYSCALL_ARGUMENT, __VA_ARGS__));   \
		if (unlikely(__way == SYSCALL_DIVERTED))                                           \
			return syscall_divert();                                                   \
		return __x64_sys_##name(SYSCALL_MAP##n(SYSCALL_CAST, __VA_ARGS__));                \
	}                                                                                          \
	static __always_inline long __x64_sys_##name(SYSCALL_MAP##n(SYSCALL_PARAMETER, __VA_ARGS__))
