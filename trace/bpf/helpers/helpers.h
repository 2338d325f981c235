/*
 * Helpers: the functions of the kernel that programs may call. Numbers, arguments and results are
 * those of Linux's include/uapi/linux/bpf.h.
 *
 * A helper is called with five words. Its prototype (struct bpf_func_proto) tells the verifier what
 * the words are, so a helper checks only what the verifier cannot know. Helpers run in the context
 * of their program: any context, NMI too, preemption off, inside rcu_read_lock(). So they never
 * sleep, take no lock that an NMI could find taken, and wait for no page of a program's memory.
 *
 *	protos.c	the prototypes that several types of programs share
 *	TYPE.c		a type of programs: its context, and helpers that depend on it
 *	others		the helpers themselves
 *
 * Prototypes and types are pure: host tests link them with stubs of the helpers.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/linker_table.h"
#include "trace/bpf/core/prog.h"
#include "trace/bpf/helpers/numbers.h"

/* A helper as one type of programs may call it. */
struct bpf_helper {
	u32 id; /* BPF_FUNC_*; 0: the end of the table */
	struct bpf_func_proto proto;
};

/* Helpers of all types, and those of types that observe the kernel. protos.c */
extern const struct bpf_helper bpf_base_helpers[], bpf_tracing_helpers[];
/* The prototype in the table, or NULL. */
const struct bpf_func_proto *bpf_find_helper(const struct bpf_helper *table, u32 id);
/* In the table, else in the tables of types that observe the kernel, or NULL. */
const struct bpf_func_proto *bpf_find_tracing_helper(const struct bpf_helper *table, u32 id);

/* Helpers of types whose context is arguments, and what such programs may read. raw_tracepoint.c */
extern const struct bpf_helper bpf_args_helpers[];
bool bpf_is_valid_args_access(int off, int size, bool write);
/*
 * check_attach of TRACING programs: finds what attach_btf_id names, and sets attach_func_proto,
 * attach_func_name and attach_addr. 0, -EINVAL, -ENOENT. attach_target.c. Task context.
 */
int bpf_check_attach_target(struct bpf_prog *prog);
/*
 * Whether a fmod_ret program may run instead of the function at this address: one of the lists has
 * it. Each of them returns an int or a long that is 0 or an errno. Task context.
 */
bool bpf_may_modify_return(unsigned long function);
struct bpf_modifiable {
	bool (*contains)(unsigned long function);
};
#define BPF_MODIFIABLE(name)                                                                       \
	static const struct bpf_modifiable modifiable_##name LINKER_TABLE_ENTRY(                   \
		rodata, bpf_modifiables, #name)

/* bpf_func_proto.prepare of the helpers that print into the trace: enables their event. print.c */
void bpf_enable_trace_printk(void);

/* The types: types.c walks them. */
extern const struct bpf_prog_type_ops bpf_socket_filter_ops, bpf_kprobe_ops, bpf_tracepoint_ops,
	bpf_perf_event_ops, bpf_raw_tracepoint_ops, bpf_tracing_ops, bpf_syscall_ops;

/* The context of TRACEPOINT programs is a record of at most so many bytes, as in Linux. */
#define BPF_MAX_RECORD 8192

/* An entry: the name, and members of struct bpf_func_proto. */
#define BPF_HELPER_AS(name_, function, ...)                                                        \
	{                                                                                          \
		.id = BPF_FUNC_##name_, .proto = {.func = function, .name = #name_, __VA_ARGS__ }  \
	}
/* Of a number that has one function in all types. */
#define BPF_HELPER(name_, ...) BPF_HELPER_AS(name_, bpf_##name_, __VA_ARGS__)
#define BPF_ARGS(...)          .arg_type = { __VA_ARGS__ }
/*
 * Of an argument: memory that the helper reads, and memory that it fills. Its size is the next one.
 */
#define ARG_MEM_IN  (ARG_PTR_TO_MEM | ARG_MEM_RDONLY)
#define ARG_MEM_OUT (ARG_PTR_TO_MEM | ARG_MEM_UNINIT)

/* clang-format off */
/* Of programs at events. what: how the context leads to registers. */
#define BPF_EVENT_HELPERS(what)                                                                    \
	BPF_HELPER_AS(perf_event_output, bpf_perf_event_output_##what, .gpl_only = true,           \
		      .map_types = BPF_MAP_BIT(PERF_EVENT_ARRAY),                                  \
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_CONST_MAP_PTR, ARG_ANYTHING, ARG_MEM_IN,        \
			       ARG_CONST_SIZE_OR_ZERO)),                                           \
	BPF_HELPER_AS(get_stackid, bpf_get_stackid_##what, .gpl_only = true,                       \
		      .map_types = BPF_MAP_BIT(STACK_TRACE),                                       \
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_CONST_MAP_PTR, ARG_ANYTHING)),                  \
	BPF_HELPER_AS(get_stack, bpf_get_stack_##what, .gpl_only = true, .ret_type = RET_SIZE,     \
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_MEM_OUT, ARG_CONST_SIZE_OR_ZERO, ARG_ANYTHING))
/* clang-format on */

/*
 * Defines a helper with arguments of any types that fit into a word: BPF_CALL_2(bpf_name, type,
 * name, type, name).
 */
#define BPF_CALL_5(fn, t1, a1, t2, a2, t3, a3, t4, a4, t5, a5)                                     \
	static __always_inline u64 fn##_typed(t1 a1, t2 a2, t3 a3, t4 a4, t5 a5);                  \
	u64 fn(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5)                                             \
	{                                                                                          \
		return fn##_typed((t1)r1, (t2)r2, (t3)r3, (t4)r4, (t5)r5);                         \
	}                                                                                          \
	static __always_inline u64 fn##_typed(t1 a1, t2 a2, t3 a3, t4 a4, t5 a5)
#define BPF_CALL_4(fn, t1, a1, t2, a2, t3, a3, t4, a4)                                             \
	BPF_CALL_5(fn, t1, a1, t2, a2, t3, a3, t4, a4, u64, arg5 __unused)
#define BPF_CALL_3(fn, t1, a1, t2, a2, t3, a3)                                                     \
	BPF_CALL_4(fn, t1, a1, t2, a2, t3, a3, u64, arg4 __unused)
#define BPF_CALL_2(fn, t1, a1, t2, a2) BPF_CALL_3(fn, t1, a1, t2, a2, u64, arg3 __unused)
#define BPF_CALL_1(fn, t1, a1)         BPF_CALL_2(fn, t1, a1, u64, arg2 __unused)
#define BPF_CALL_0(fn)                 BPF_CALL_1(fn, u64, arg1 __unused)

/*
 * All functions of helpers. The interpreter and the JIT make tail calls themselves. Three numbers
 * have a function for each kind of context: the registers of a probe, a tracepoint's record, and
 * the arguments of a function or tracepoint.
 */
/* clang-format off */
#define BPF_HELPER_FUNCTIONS(X)                                                                    \
	X(bpf_map_lookup_elem) X(bpf_map_update_elem) X(bpf_map_delete_elem)                       \
	X(bpf_map_push_elem) X(bpf_map_pop_elem) X(bpf_map_peek_elem)                              \
	X(bpf_map_lookup_percpu_elem) X(bpf_for_each_map_elem) X(bpf_loop)                         \
	X(bpf_probe_read) X(bpf_probe_read_str)                                                    \
	X(bpf_probe_read_user) X(bpf_probe_read_kernel)                                            \
	X(bpf_probe_read_user_str) X(bpf_probe_read_kernel_str)                                    \
	X(bpf_ktime_get_ns) X(bpf_ktime_get_boot_ns) X(bpf_ktime_get_coarse_ns) X(bpf_jiffies64)   \
	X(bpf_trace_printk) X(bpf_trace_vprintk) X(bpf_snprintf) X(bpf_seq_printf) X(bpf_seq_write)\
	X(bpf_strncmp) X(bpf_strtol) X(bpf_strtoul)                                                \
	X(bpf_get_prandom_u32) X(bpf_get_smp_processor_id) X(bpf_get_numa_node_id)                 \
	X(bpf_get_current_pid_tgid) X(bpf_get_current_uid_gid) X(bpf_get_current_comm)             \
	X(bpf_get_current_task) X(bpf_get_current_task_btf) X(bpf_task_pt_regs)                    \
	X(bpf_get_current_cgroup_id) X(bpf_current_task_under_cgroup)                              \
	X(bpf_send_signal) X(bpf_send_signal_thread) X(bpf_d_path)                                 \
	X(bpf_perf_event_output_regs) X(bpf_perf_event_output_record) X(bpf_perf_event_output_args)\
	X(bpf_perf_event_read) X(bpf_perf_event_read_value)                                        \
	X(bpf_get_stackid_regs) X(bpf_get_stackid_record) X(bpf_get_stackid_args)                  \
	X(bpf_get_stack_regs) X(bpf_get_stack_record) X(bpf_get_stack_args) X(bpf_get_task_stack)  \
	X(bpf_get_task_stack_current)                                                              \
	X(bpf_ringbuf_output) X(bpf_ringbuf_reserve) X(bpf_ringbuf_submit) X(bpf_ringbuf_discard)  \
	X(bpf_ringbuf_query)                                                                       \
	X(bpf_get_func_ip_run) X(bpf_get_func_ip_args)                                             \
	X(bpf_get_attach_cookie_run) X(bpf_get_attach_cookie_args) X(bpf_perf_prog_read_value)     \
	X(bpf_get_func_arg) X(bpf_get_func_ret) X(bpf_get_func_arg_cnt)
#define BPF_DECLARE_FUNCTION(fn) u64 fn(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
BPF_HELPER_FUNCTIONS(BPF_DECLARE_FUNCTION)
#undef BPF_DECLARE_FUNCTION
/* clang-format on */

/*
 * What stands before the context of fentry, fexit and fmod_ret programs: their trampoline puts it
 * there. The result of the function follows the arguments; of fentry it is 0.
 */
struct bpf_tramp_args {
	u64 cookie, func_ip;
	u64 nr_args; /* without the result */
	u64 args[];  /* the context */
};
static inline const struct bpf_tramp_args *bpf_tramp_args_of(const void *ctx)
{
	return (const void *)((const char *)ctx - offsetof(struct bpf_tramp_args, args));
}

/* BPF_PROG_TEST_RUN of three types. syscall/test_run.c. Task context. */
int bpf_test_run_socket_filter(struct bpf_prog *prog, const union bpf_attr *attr,
			       union bpf_attr __user *uattr);
int bpf_test_run_raw_tracepoint(struct bpf_prog *prog, const union bpf_attr *attr,
				union bpf_attr __user *uattr);
int bpf_test_run_syscall(struct bpf_prog *prog, const union bpf_attr *attr,
			 union bpf_attr __user *uattr);
