/*
 * Tracepoints: places in the kernel that call functions (probes) which other code attaches.
 *
 * trace_NAME(args) in kernel code is a tracepoint. While it has no probe, it is one nop: a static
 * branch (kernel/jump_label.h), with the call out of line, and the arguments are not computed. With
 * a probe the nop is a jmp to a call of __traceiter_NAME(), which calls the probes one after the
 * other. (The call goes through a pointer: tracepoint_probe_register_direct().)
 * docs/tracepoints.md shows both states.
 *
 * A header X_events.h beside a subsystem declares its tracepoints with TRACE_EVENT() and the other
 * macros below. Included by that subsystem it only declares trace_NAME(), and functions to attach
 * probes. trace/events/ reads the same header again with other definitions of these macros, and
 * makes the events out of it (TRACE_EVENTS_PASS is defined then).
 *
 * trace_NAME() is a macro, because a function's arguments would be computed before the branch. A
 * macro cannot define a macro, so the build writes them (scripts/tracepoint-macros). A kernel
 * without events gets them with --empty: then no tracepoint exists, and trace_NAME() is no code.
 */
#pragma once

#include "generated/tracepoints.h"
#include "kernel/compiler.h"
#include "kernel/jump_label.h"
#include "kernel/linker_table.h"
#include "kernel/preempt.h"

/*
 * One probe of a tracepoint. Constant while RCU readers may see its array, but for func: removing a
 * probe without memory for a new array puts a function there that does nothing.
 */
struct tracepoint_func {
	void *func; /* void (*)(void *data, PROTO); NULL ends an array */
	void *data;
	int prio;
	void *direct; /* tracepoint_probe_register_direct(); or NULL */
};

/* [T] tracepoints_mutex; [R] T to write, RCU to read; no letter: constant. */
struct tracepoint {
	const char *name;
	struct static_key_false key;   /* [T] to change; on while funcs is not NULL */
	struct tracepoint_func *funcs; /* [T] by priority, then by age; NULL: no probe */
	void *iter;      /* [R] what sites call: traceiter, or the only probe's direct */
	void *traceiter; /* __traceiter_NAME() */
	/* [R] what __traceiter_NAME() calls: the only probe, all of several, or a stand-in */
	const struct tracepoint_func *call;
	void *call_all;                   /* calls each probe of the array that is its data */
	struct tracepoint_func single[2]; /* [R] the array of a tracepoint with one probe */
	int (*regfunc)(void);             /* before the first probe is attached; may be NULL */
	void (*unregfunc)(void);          /* after the last probe was removed */
	struct static_key *sites;         /* a key that is on while this has probes; or NULL */
	struct tracepoint *next_changed;  /* [T] in the list of the batch */
	bool conditional;                 /* __traceiter_NAME() asks a condition first */
	bool changed;                     /* [T] the tracepoint is in that list */
	bool single_retired;              /* [T] readers may still use single */
	bool uses_sites;                  /* [T] counted as a user of sites */
	bool reg_called;                  /* [T] regfunc was called, unregfunc was not */
};

extern const struct tracepoint_func tracepoint_no_probe; /* does nothing */

#define TRACEPOINT_DEFAULT_PRIO 10

/*
 * Attaches probe(data, args…) to a tracepoint. Probes with a higher priority are called earlier.
 * Probes run with preemption off and must not sleep. They run in the context of the tracepoint,
 * which may be NMI. Returns 0; -EEXIST: this probe is attached with this data; -ENOMEM; -EINVAL: a
 * site could not be patched (kernel/jump_label.h); or the error of regfunc. Task context, sleeps.
 */
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data, int prio);
/*
 * The same for a probe that has a shorter way. While it is the only probe, the sites of the
 * tracepoint call direct, a void (*)(PROTO), instead of __traceiter_NAME(). It runs with preemption
 * on, if its site does, and must turn it off itself. After its removal a CPU may still enter it,
 * until a grace period of RCU-tasks has passed. A tracepoint with a condition ignores it.
 */
int tracepoint_probe_register_direct(struct tracepoint *tp, void *probe, void *data, int prio,
				     void *direct);
/*
 * Removes a probe. Afterwards no CPU runs it with this data, so that data may be freed: it waits
 * for an RCU grace period. Returns 0; -ENOENT: no such probe; or -EINVAL: a site could not be
 * patched, but the probe is removed. It needs no memory. Same context.
 */
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data);
/*
 * Everything that the task registers and unregisters between begin and end takes one change of text
 * and one grace period, both at the end. Until then a new probe may be called or not, and a removed
 * probe may still run. Batches nest. Other tasks wait. end returns 0 or -EINVAL as above.
 */
void tracepoint_batch_begin(void);
int tracepoint_batch_end(void);

/* Calls fn for each tracepoint of the kernel, in the order of their names. Any context. */
void for_each_kernel_tracepoint(void (*fn)(struct tracepoint *tp, void *data), void *data);

/* All functions __traceiter_NAME(). The stack of an event begins with the caller of one of them. */
extern const char __traceiter_text_start[], __traceiter_text_end[];

/*
 * A constant text, for an event whose field is a pointer to a text. The file printk_formats lists
 * the address, so that programs that read raw records find the text (trace/core/trace_printk.c).
 */
#define tracepoint_string(text)                                                                    \
	({                                                                                         \
		static const char *const __tracepoint_text LINKER_TABLE_ENTRY(                     \
			rodata, trace_printk_formats, "") = text;                                  \
		__tracepoint_text;                                                                 \
	})

/* Keeps a list of arguments together when it is handed on to another macro. */
#define TRACEPOINT_ARGS(args...) args

/*
 * Defines a tracepoint that a TRACE_EVENT() declares: the object and __traceiter_NAME(). In one
 * source file; trace/events/define.h does it for events. proto and args are TP_PROTO() and
 * TP_ARGS() of the event. The probes are called only if condition is true.
 *
 * Most tracepoints have one probe, so __traceiter_NAME() makes one call, and does not ask how many
 * there are: for several, tracepoint.call is a function that calls them one after the other. A CPU
 * that has taken the branch before the last probe was removed calls one that does nothing.
 *
 * The typedef has Linux's name: programs find the types of the arguments by it in the kernel's BTF.
 */
#define TRACEPOINT_DEFINE(name, proto, args)                                                       \
	TRACEPOINT_DEFINE_FULL(name, TRACEPOINT_ARGS(proto), TRACEPOINT_ARGS(args), true)
#define TRACEPOINT_DEFINE_CONDITION(name, proto, args, condition)                                  \
	TRACEPOINT_DEFINE_FULL(name, TRACEPOINT_ARGS(proto), TRACEPOINT_ARGS(args), condition,     \
			       .conditional = true)
#define TRACEPOINT_DEFINE_FN(name, proto, args, reg, unreg)                                        \
	TRACEPOINT_DEFINE_FULL(name, TRACEPOINT_ARGS(proto), TRACEPOINT_ARGS(args), true,          \
			       .regfunc = reg, .unregfunc = unreg)
/* tracepoint.sites of NAME. A file that makes events may define it before it includes this one. */
#ifndef TRACEPOINT_SITES
#define TRACEPOINT_SITES(name) NULL
#endif
/* How __traceiter_NAME() calls the probes. In the same way: a file may do something before. */
#ifndef TRACEPOINT_CALL
#define TRACEPOINT_CALL(name, args...) __tracepoint_call_##name(args)
#endif
#define TRACEPOINT_DEFINE_FULL(name_, proto, args, condition, members...)                          \
	static void __call_probes_##name_(void *__data, proto);                                    \
	void __traceiter_##name_(proto);                                                           \
	struct tracepoint __tracepoint_##name_ LINKER_TABLE_ENTRY(                                 \
		data, tracepoints, #name_) = { .name = #name_,                                     \
					       .sites = TRACEPOINT_SITES(name_),                   \
					       .iter = (void *)__traceiter_##name_,                \
					       .traceiter = (void *)__traceiter_##name_,           \
					       .call = &tracepoint_no_probe,                       \
					       .call_all = (void *)__call_probes_##name_,          \
					       members };                                          \
	typedef void (*btf_trace_##name_)(void *__data, proto);                                    \
	static void __call_probes_##name_(void *__data, proto)                                     \
	{                                                                                          \
		const struct tracepoint_func *__f = __data;                                        \
                                                                                                   \
		do {                                                                               \
			((btf_trace_##name_)READ_ONCE(__f->func))(__f->data, args);                \
		} while ((++__f)->func);                                                           \
	}                                                                                          \
	static __always_inline void __tracepoint_call_##name_(proto)                               \
	{                                                                                          \
		const struct tracepoint_func *__f;                                                 \
                                                                                                   \
		preempt_disable_notrace();                                                         \
		__f = smp_load_acquire(&__tracepoint_##name_.call);                                \
		((btf_trace_##name_)READ_ONCE(__f->func))(__f->data, args);                        \
		preempt_enable_notrace();                                                          \
	}                                                                                          \
	void __section(".traceiter.text") __traceiter_##name_(proto)                               \
	{                                                                                          \
		if (condition)                                                                     \
			TRACEPOINT_CALL(name_, args);                                              \
	}

/*
 * Declares a tracepoint: what follows from an event's declaration. It has at least one argument.
 * register_trace_NAME() and the following are the functions above, with the type of the probe.
 *
 * __tracepoint_enter_NAME() is the call at a site. The barrier keeps its load of iter behind the
 * computation of the arguments, which may sleep: a quiescent point of RCU-tasks.
 */
#define DECLARE_TRACE(name, proto, args)                                                           \
	extern struct tracepoint __tracepoint_##name;                                              \
	void __traceiter_##name(proto);                                                            \
	static __always_inline void __tracepoint_enter_##name(proto)                               \
	{                                                                                          \
		barrier();                                                                         \
		((__typeof__(&__traceiter_##name))__tracepoint_##name.iter)(args);                 \
	}                                                                                          \
	static inline int register_trace_prio_##name(void (*probe)(void *data, proto), void *data, \
						     int prio)                                     \
	{                                                                                          \
		return tracepoint_probe_register(&__tracepoint_##name, (void *)probe, data, prio); \
	}                                                                                          \
	static inline int register_trace_##name(void (*probe)(void *data, proto), void *data)      \
	{                                                                                          \
		return register_trace_prio_##name(probe, data, TRACEPOINT_DEFAULT_PRIO);           \
	}                                                                                          \
	static inline int unregister_trace_##name(void (*probe)(void *data, proto), void *data)    \
	{                                                                                          \
		return tracepoint_probe_unregister(&__tracepoint_##name, (void *)probe, data);     \
	}                                                                                          \
	static __always_inline bool trace_##name##_enabled(void)                                   \
	{                                                                                          \
		return TRACEPOINT_ENABLED(name);                                                   \
	}

/*
 * trace_NAME(args) is TRACEPOINT(NAME, args): generated/tracepoints.h. Any context. That file says
 * with TRACEPOINT_KEY(), too, whether the events are linked: the key of a tracepoint, or false.
 */
#define TRACEPOINT_ENABLED(name) TRACEPOINT_KEY(name, static_branch_unlikely)
#define TRACEPOINT(name, ...)                                                                      \
	do {                                                                                       \
		if (TRACEPOINT_ENABLED(name))                                                      \
			__tracepoint_enter_##name(__VA_ARGS__);                                    \
	} while (0)
/*
 * The same without a static branch: it loads the state of the tracepoint. For code that runs only
 * while the tracepoint may be on, in so many places that their sites would make switching slow.
 */
#define TRACEPOINT_WITHOUT_SITE(name, ...)                                                         \
	do {                                                                                       \
		if (TRACEPOINT_KEY(name, static_key_enabled))                                      \
			__tracepoint_enter_##name(__VA_ARGS__);                                    \
	} while (0)

/* The vocabulary of X_events.h, while such a header only declares. Names and order as in Linux. */
#ifndef TRACE_EVENTS_PASS
#define TP_PROTO(args...)     args
#define TP_ARGS(args...)      args
#define TP_CONDITION(args...) args

#define TRACE_EVENT(name, proto, args, entry, assign, print)                                       \
	DECLARE_TRACE(name, TRACEPOINT_ARGS(proto), TRACEPOINT_ARGS(args))
#define TRACE_EVENT_CONDITION(name, proto, args, condition, entry, assign, print)                  \
	DECLARE_TRACE(name, TRACEPOINT_ARGS(proto), TRACEPOINT_ARGS(args))
#define TRACE_EVENT_FN(name, proto, args, entry, assign, print, reg, unreg)                        \
	DECLARE_TRACE(name, TRACEPOINT_ARGS(proto), TRACEPOINT_ARGS(args))
#define DECLARE_EVENT_CLASS(class, proto, args, entry, assign, print)
#define DEFINE_EVENT(class, name, proto, args)                                                     \
	DECLARE_TRACE(name, TRACEPOINT_ARGS(proto), TRACEPOINT_ARGS(args))
#define DEFINE_EVENT_PRINT(class, name, proto, args, print)                                        \
	DECLARE_TRACE(name, TRACEPOINT_ARGS(proto), TRACEPOINT_ARGS(args))
#define DEFINE_EVENT_CONDITION(class, name, proto, args, condition)                                \
	DECLARE_TRACE(name, TRACEPOINT_ARGS(proto), TRACEPOINT_ARGS(args))
#define DEFINE_EVENT_FN(class, name, proto, args, reg, unreg)                                      \
	DECLARE_TRACE(name, TRACEPOINT_ARGS(proto), TRACEPOINT_ARGS(args))
#endif
