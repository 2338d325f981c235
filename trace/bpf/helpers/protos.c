/*
 * The prototypes of helpers that several types of programs share. In the order of numbers within a
 * group. What only one type has is in the file of that type. Pure.
 */
#include "trace/bpf/helpers/helpers.h"

#define QUEUES (BPF_MAP_BIT(QUEUE) | BPF_MAP_BIT(STACK))

/* clang-format off */
const struct bpf_helper bpf_base_helpers[] = {
	/* maps */
	BPF_HELPER(map_lookup_elem, .ret_type = RET_PTR_TO_MAP_VALUE_OR_NULL,
		   .map_types = BPF_MAPS_OF_VALUES | BPF_MAP_BIT(ARRAY_OF_MAPS) |
				BPF_MAP_BIT(HASH_OF_MAPS),
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_PTR_TO_MAP_KEY)),
	BPF_HELPER(map_update_elem, .writes_map = true,
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_PTR_TO_MAP_KEY, ARG_PTR_TO_MAP_VALUE,
			    ARG_ANYTHING)),
	BPF_HELPER(map_delete_elem, .writes_map = true,
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_PTR_TO_MAP_KEY)),
	BPF_HELPER(map_push_elem, .writes_map = true,
		   .map_types = QUEUES | BPF_MAP_BIT(BLOOM_FILTER),
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_PTR_TO_MAP_VALUE, ARG_ANYTHING)),
	BPF_HELPER(map_pop_elem, .writes_map = true,
		   .map_types = QUEUES,
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_PTR_TO_MAP_VALUE | ARG_MEM_UNINIT)),
	BPF_HELPER(map_peek_elem,
		   .map_types = QUEUES | BPF_MAP_BIT(BLOOM_FILTER),
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_PTR_TO_MAP_VALUE | ARG_MEM_UNINIT)),
	BPF_HELPER(for_each_map_elem,
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_PTR_TO_FUNC, ARG_PTR_TO_STACK | ARG_MAYBE_NULL,
			    ARG_ANYTHING)),
	BPF_HELPER(map_lookup_percpu_elem, .ret_type = RET_PTR_TO_MAP_VALUE_OR_NULL,
		   .map_types = BPF_MAPS_OF_CPUS,
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_PTR_TO_MAP_KEY, ARG_ANYTHING)),

	/* control: the interpreter and the JIT make tail calls, so that they have no function */
	BPF_HELPER_AS(tail_call, NULL, .ret_type = RET_VOID,
		   .map_types = BPF_MAP_BIT(PROG_ARRAY),
		      BPF_ARGS(ARG_PTR_TO_CTX, ARG_CONST_MAP_PTR, ARG_ANYTHING)),
	BPF_HELPER(loop, BPF_ARGS(ARG_ANYTHING, ARG_PTR_TO_FUNC, ARG_PTR_TO_STACK | ARG_MAYBE_NULL,
				  ARG_ANYTHING)),

	/* the machine and the time */
	BPF_HELPER(ktime_get_ns),
	BPF_HELPER(get_prandom_u32),
	BPF_HELPER(get_smp_processor_id),
	BPF_HELPER(get_numa_node_id),
	BPF_HELPER(jiffies64),
	BPF_HELPER(ktime_get_boot_ns),

	/* text */
	BPF_HELPER(trace_printk, .gpl_only = true, .prepare = bpf_enable_trace_printk,
		   BPF_ARGS(ARG_MEM_IN, ARG_CONST_SIZE)),
	BPF_HELPER(strtol, BPF_ARGS(ARG_MEM_IN, ARG_CONST_SIZE, ARG_ANYTHING, ARG_PTR_TO_LONG)),
	BPF_HELPER(strtoul, BPF_ARGS(ARG_MEM_IN, ARG_CONST_SIZE, ARG_ANYTHING, ARG_PTR_TO_LONG)),
	BPF_HELPER(snprintf, .gpl_only = true,
		   BPF_ARGS(ARG_PTR_TO_MEM | ARG_MAYBE_NULL, ARG_CONST_SIZE_OR_ZERO,
			    ARG_PTR_TO_CONST_STR, ARG_MEM_IN | ARG_MAYBE_NULL,
			    ARG_CONST_SIZE_OR_ZERO)),
	BPF_HELPER(trace_vprintk, .gpl_only = true, .prepare = bpf_enable_trace_printk,
		   BPF_ARGS(ARG_MEM_IN, ARG_CONST_SIZE, ARG_MEM_IN | ARG_MAYBE_NULL,
			    ARG_CONST_SIZE_OR_ZERO)),
	BPF_HELPER(strncmp, BPF_ARGS(ARG_MEM_IN, ARG_CONST_SIZE, ARG_PTR_TO_CONST_STR)),

	/* memory and the current task */
	BPF_HELPER(get_current_task, .gpl_only = true),
	BPF_HELPER(probe_read_user, .gpl_only = true,
		   BPF_ARGS(ARG_MEM_OUT, ARG_CONST_SIZE_OR_ZERO, ARG_ANYTHING)),
	BPF_HELPER(probe_read_kernel, .gpl_only = true,
		   BPF_ARGS(ARG_MEM_OUT, ARG_CONST_SIZE_OR_ZERO, ARG_ANYTHING)),
	BPF_HELPER(probe_read_user_str, .gpl_only = true, .ret_type = RET_SIZE,
		   BPF_ARGS(ARG_MEM_OUT, ARG_CONST_SIZE_OR_ZERO, ARG_ANYTHING)),
	BPF_HELPER(probe_read_kernel_str, .gpl_only = true, .ret_type = RET_SIZE,
		   BPF_ARGS(ARG_MEM_OUT, ARG_CONST_SIZE_OR_ZERO, ARG_ANYTHING)),
	BPF_HELPER(get_current_task_btf, .gpl_only = true, .ret_type = RET_PTR_TO_BTF_ID,
		   .ret_btf_name = "task_struct"),
	BPF_HELPER(task_pt_regs, .gpl_only = true, BPF_ARGS(ARG_PTR_TO_BTF_ID),
		   .arg_btf_name = { "task_struct" }, .ret_type = RET_PTR_TO_BTF_ID,
		   .ret_btf_name = "pt_regs"),

	/* the ring buffer */
	BPF_HELPER(ringbuf_output,
		   .map_types = BPF_MAP_BIT(RINGBUF),
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_MEM_IN, ARG_CONST_SIZE_OR_ZERO, ARG_ANYTHING)),
	BPF_HELPER(ringbuf_reserve, .ret_type = RET_PTR_TO_ALLOC_MEM_OR_NULL,
		   .map_types = BPF_MAP_BIT(RINGBUF),
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_CONST_ALLOC_SIZE_OR_ZERO, ARG_ANYTHING)),
	BPF_HELPER(ringbuf_submit, .ret_type = RET_VOID,
		   BPF_ARGS(ARG_PTR_TO_ALLOC_MEM, ARG_ANYTHING)),
	BPF_HELPER(ringbuf_discard, .ret_type = RET_VOID,
		   BPF_ARGS(ARG_PTR_TO_ALLOC_MEM, ARG_ANYTHING)),
	BPF_HELPER(ringbuf_query,
		   .map_types = BPF_MAP_BIT(RINGBUF),
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_ANYTHING)),
	{ .id = 0 },
};

const struct bpf_helper bpf_tracing_helpers[] = {
	BPF_HELPER(probe_read, .gpl_only = true,
		   BPF_ARGS(ARG_MEM_OUT, ARG_CONST_SIZE_OR_ZERO, ARG_ANYTHING)),
	BPF_HELPER(probe_read_str, .gpl_only = true, .ret_type = RET_SIZE,
		   BPF_ARGS(ARG_MEM_OUT, ARG_CONST_SIZE_OR_ZERO, ARG_ANYTHING)),
	BPF_HELPER(get_current_pid_tgid),
	BPF_HELPER(get_current_uid_gid),
	BPF_HELPER(get_current_comm, BPF_ARGS(ARG_MEM_OUT, ARG_CONST_SIZE)),
	BPF_HELPER(perf_event_read,
		   .map_types = BPF_MAP_BIT(PERF_EVENT_ARRAY),
		   .gpl_only = true, BPF_ARGS(ARG_CONST_MAP_PTR, ARG_ANYTHING)),
	BPF_HELPER(current_task_under_cgroup,
		   .map_types = BPF_MAP_BIT(CGROUP_ARRAY),
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_ANYTHING)),
	BPF_HELPER(perf_event_read_value, .gpl_only = true,
		   .map_types = BPF_MAP_BIT(PERF_EVENT_ARRAY),
		   BPF_ARGS(ARG_CONST_MAP_PTR, ARG_ANYTHING, ARG_MEM_OUT, ARG_CONST_SIZE)),
	BPF_HELPER(get_current_cgroup_id),
	BPF_HELPER(send_signal, BPF_ARGS(ARG_ANYTHING)),
	BPF_HELPER(send_signal_thread, BPF_ARGS(ARG_ANYTHING)),
	BPF_HELPER_AS(get_task_stack, bpf_get_task_stack_current, .ret_type = RET_SIZE,
		      BPF_ARGS(ARG_PTR_TO_BTF_ID, ARG_MEM_OUT, ARG_CONST_SIZE_OR_ZERO,
			       ARG_ANYTHING),
		      .arg_btf_name = { "task_struct" }),
	{ .id = 0 },
};
/* clang-format on */

const struct bpf_func_proto *bpf_find_helper(const struct bpf_helper *table, u32 id)
{
	for (; table->id; table++)
		if (table->id == id)
			return &table->proto;
	return NULL;
}

const struct bpf_func_proto *bpf_find_tracing_helper(const struct bpf_helper *table, u32 id)
{
	const struct bpf_func_proto *proto = table ? bpf_find_helper(table, id) : NULL;

	if (!proto)
		proto = bpf_find_helper(bpf_tracing_helpers, id);
	return proto ? proto : bpf_find_helper(bpf_base_helpers, id);
}

const struct bpf_func_proto *bpf_get_func_proto(u32 func_id, const struct bpf_prog *prog)
{
	const struct bpf_prog_type_ops *ops = prog->ops;

	return ops->get_func_proto ? ops->get_func_proto(func_id, prog)
				   : bpf_find_tracing_helper(ops->helpers, func_id);
}
