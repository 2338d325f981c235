/*
 * The binary interface of bpf(2), as its man-page and libbpf use it. Names and numbers are Linux's;
 * only what nop5 knows is here. Pure: host tests include it, too.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/types.h"
#include "trace/bpf/core/insn.h"

/* Linkage: the vlen of a FUNC, the word behind a VAR. Programs find the names in BTF. */
enum { BTF_FUNC_STATIC, BTF_FUNC_GLOBAL, BTF_FUNC_EXTERN };
enum { BTF_VAR_STATIC, BTF_VAR_GLOBAL_ALLOCATED, BTF_VAR_GLOBAL_EXTERN };

enum bpf_cmd {
	BPF_MAP_CREATE,
	BPF_MAP_LOOKUP_ELEM,
	BPF_MAP_UPDATE_ELEM,
	BPF_MAP_DELETE_ELEM,
	BPF_MAP_GET_NEXT_KEY,
	BPF_PROG_LOAD,
	BPF_OBJ_PIN,
	BPF_OBJ_GET,
	BPF_PROG_TEST_RUN = 10,
	BPF_PROG_GET_NEXT_ID,
	BPF_MAP_GET_NEXT_ID,
	BPF_PROG_GET_FD_BY_ID,
	BPF_MAP_GET_FD_BY_ID,
	BPF_OBJ_GET_INFO_BY_FD,
	BPF_RAW_TRACEPOINT_OPEN = 17,
	BPF_BTF_LOAD,
	BPF_BTF_GET_FD_BY_ID,
	BPF_TASK_FD_QUERY,
	BPF_MAP_LOOKUP_AND_DELETE_ELEM,
	BPF_MAP_FREEZE,
	BPF_BTF_GET_NEXT_ID,
	BPF_MAP_LOOKUP_BATCH,
	BPF_MAP_LOOKUP_AND_DELETE_BATCH,
	BPF_MAP_UPDATE_BATCH,
	BPF_MAP_DELETE_BATCH,
	BPF_LINK_CREATE,
	BPF_LINK_UPDATE,
	BPF_LINK_GET_FD_BY_ID,
	BPF_LINK_GET_NEXT_ID,
	BPF_ENABLE_STATS,
	BPF_ITER_CREATE,
	BPF_LINK_DETACH,
	BPF_PROG_BIND_MAP,
};

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY,
	BPF_MAP_TYPE_PROG_ARRAY,
	BPF_MAP_TYPE_PERF_EVENT_ARRAY,
	BPF_MAP_TYPE_PERCPU_HASH,
	BPF_MAP_TYPE_PERCPU_ARRAY,
	BPF_MAP_TYPE_STACK_TRACE,
	BPF_MAP_TYPE_CGROUP_ARRAY,
	BPF_MAP_TYPE_LRU_HASH,
	BPF_MAP_TYPE_LRU_PERCPU_HASH,
	BPF_MAP_TYPE_LPM_TRIE,
	BPF_MAP_TYPE_ARRAY_OF_MAPS,
	BPF_MAP_TYPE_HASH_OF_MAPS,
	BPF_MAP_TYPE_QUEUE = 22,
	BPF_MAP_TYPE_STACK,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_BLOOM_FILTER = 30,
};

enum bpf_prog_type {
	BPF_PROG_TYPE_SOCKET_FILTER = 1,
	BPF_PROG_TYPE_KPROBE,
	BPF_PROG_TYPE_TRACEPOINT = 5,
	BPF_PROG_TYPE_PERF_EVENT = 7,
	BPF_PROG_TYPE_RAW_TRACEPOINT = 17,
	BPF_PROG_TYPE_TRACING = 26,
	BPF_PROG_TYPE_SYSCALL = 31,
};

enum bpf_attach_type {
	BPF_TRACE_RAW_TP = 23,
	BPF_TRACE_FENTRY,
	BPF_TRACE_FEXIT,
	BPF_MODIFY_RETURN,
	BPF_TRACE_ITER = 28,
	BPF_PERF_EVENT = 41,
	BPF_TRACE_KPROBE_MULTI,
};

enum bpf_link_type {
	BPF_LINK_TYPE_RAW_TRACEPOINT = 1,
	BPF_LINK_TYPE_TRACING,
	BPF_LINK_TYPE_ITER = 4,
	BPF_LINK_TYPE_PERF_EVENT = 7,
	BPF_LINK_TYPE_KPROBE_MULTI,
};

/*
 * The constants that programs use, too, are enumerators as in Linux. So they are in the kernel's
 * BTF, of which bpftool(8) makes vmlinux.h.
 */

/* Flags of updates. */
enum {
	BPF_ANY,
	BPF_NOEXIST,
	BPF_EXIST,
	BPF_F_LOCK = 4,
};

/* map_flags */
enum {
	BPF_F_NO_PREALLOC = 1U << 0,
	BPF_F_NO_COMMON_LRU = 1U << 1,
	BPF_F_NUMA_NODE = 1U << 2,
	BPF_F_RDONLY = 1U << 3,
	BPF_F_WRONLY = 1U << 4,
	BPF_F_STACK_BUILD_ID = 1U << 5,
	BPF_F_ZERO_SEED = 1U << 6,
	BPF_F_RDONLY_PROG = 1U << 7,
	BPF_F_WRONLY_PROG = 1U << 8,
	BPF_F_CLONE = 1U << 9,
	BPF_F_MMAPABLE = 1U << 10,
	BPF_F_PRESERVE_ELEMS = 1U << 11,
	BPF_F_INNER_MAP = 1U << 12,
};

/* prog_flags */
#define BPF_F_STRICT_ALIGNMENT (1U << 0)
#define BPF_F_ANY_ALIGNMENT    (1U << 1)
#define BPF_F_TEST_RND_HI32    (1U << 2)
#define BPF_F_TEST_STATE_FREQ  (1U << 3)
#define BPF_F_SLEEPABLE        (1U << 4)
#define BPF_F_XDP_HAS_FRAGS    (1U << 5)

/* Flags of helpers: perf_event_output(), */
enum {
	BPF_F_INDEX_MASK = 0xffffffffULL,
	BPF_F_CURRENT_CPU = BPF_F_INDEX_MASK,
};

/* get_stackid() and get_stack(), */
enum {
	BPF_F_SKIP_FIELD_MASK = 0xffULL,
	BPF_F_USER_STACK = 1ULL << 8,
	BPF_F_FAST_STACK_CMP = 1ULL << 9,
	BPF_F_REUSE_STACKID = 1ULL << 10,
	BPF_F_USER_BUILD_ID = 1ULL << 11,
};

/* ringbuf_output(), ringbuf_submit() and ringbuf_discard(). */
enum {
	BPF_RB_NO_WAKEUP = 1ULL << 0,
	BPF_RB_FORCE_WAKEUP = 1ULL << 1,
};

#define BPF_F_KPROBE_MULTI_RETURN (1U << 0)

#define aligned_u64 u64 __aligned(8)

/* What a program passes to bpf(2). The members of each command are those of Linux. */
union bpf_attr {
	struct { /* MAP_CREATE */
		u32 map_type, key_size, value_size, max_entries, map_flags, inner_map_fd, numa_node;
		char map_name[BPF_OBJ_NAME_LEN];
		u32 map_ifindex, btf_fd, btf_key_type_id, btf_value_type_id;
		u32 btf_vmlinux_value_type_id;
		u64 map_extra;
	};
	struct { /* MAP_*_ELEM, MAP_GET_NEXT_KEY, MAP_FREEZE */
		u32 map_fd;
		aligned_u64 key;
		union {
			aligned_u64 value, next_key;
		};
		u64 flags;
	};
	struct { /* MAP_*_BATCH */
		aligned_u64 in_batch, out_batch, keys, values;
		u32 count, map_fd;
		u64 elem_flags, flags;
	} batch;
	struct { /* PROG_LOAD */
		u32 prog_type, insn_cnt;
		aligned_u64 insns, license;
		u32 log_level, log_size;
		aligned_u64 log_buf;
		u32 kern_version, prog_flags;
		char prog_name[BPF_OBJ_NAME_LEN];
		u32 prog_ifindex, expected_attach_type, prog_btf_fd, func_info_rec_size;
		aligned_u64 func_info;
		u32 func_info_cnt, line_info_rec_size;
		aligned_u64 line_info;
		u32 line_info_cnt, attach_btf_id;
		union {
			u32 attach_prog_fd, attach_btf_obj_fd;
		};
		u32 core_relo_cnt;
		aligned_u64 fd_array, core_relos;
		u32 core_relo_rec_size;
	};
	struct { /* OBJ_PIN, OBJ_GET */
		aligned_u64 pathname;
		u32 bpf_fd, file_flags;
	};
	struct { /* PROG_TEST_RUN */
		u32 prog_fd, retval, data_size_in, data_size_out;
		aligned_u64 data_in, data_out;
		u32 repeat, duration, ctx_size_in, ctx_size_out;
		aligned_u64 ctx_in, ctx_out;
		u32 flags, cpu, batch_size;
	} test;
	struct { /* *_GET_NEXT_ID, *_GET_FD_BY_ID */
		union {
			u32 start_id, prog_id, map_id, btf_id, link_id;
		};
		u32 next_id, open_flags;
	};
	struct { /* OBJ_GET_INFO_BY_FD */
		u32 bpf_fd, info_len;
		aligned_u64 info;
	} info;
	struct { /* RAW_TRACEPOINT_OPEN */
		u64 name;
		u32 prog_fd;
	} raw_tracepoint;
	struct { /* BTF_LOAD */
		aligned_u64 btf, btf_log_buf;
		u32 btf_size, btf_log_size, btf_log_level;
	};
	struct { /* TASK_FD_QUERY */
		u32 pid, fd, flags, buf_len;
		aligned_u64 buf;
		u32 prog_id, fd_type;
		u64 probe_offset, probe_addr;
	} task_fd_query;
	struct { /* LINK_CREATE */
		u32 prog_fd;
		union {
			u32 target_fd, target_ifindex;
		};
		u32 attach_type, flags;
		union {
			u32 target_btf_id;
			struct {
				aligned_u64 iter_info;
				u32 iter_info_len;
			};
			struct {
				u64 bpf_cookie;
			} perf_event;
			struct {
				u32 flags, cnt;
				aligned_u64 syms, addrs, cookies;
			} kprobe_multi;
			struct {
				u32 target_btf_id;
				u64 cookie;
			} tracing;
		};
	} link_create;
	struct { /* LINK_UPDATE */
		u32 link_fd, new_prog_fd, flags, old_prog_fd;
	} link_update;
	struct {
		u32 link_fd;
	} link_detach;
	struct {
		u32 type;
	} enable_stats;
	struct {
		u32 link_fd, flags;
	} iter_create;
	struct {
		u32 prog_fd, map_fd, flags;
	} prog_bind_map;
} __aligned(8);

/*
 * A function of a program: the instruction at which it begins, and its FUNC in the program's BTF.
 */
struct bpf_func_info {
	u32 insn_off, type_id;
};
struct bpf_line_info {
	u32 insn_off, file_name_off, line_off, line_col;
};

/* The context of PERF_EVENT programs: pt_regs, and two words. */
#define BPF_PT_REGS_SIZE 168
