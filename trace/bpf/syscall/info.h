/* What BPF_OBJ_GET_INFO_BY_FD tells. Linux's layouts. */
#pragma once

#include "trace/bpf/core/abi.h"

struct bpf_prog_info {
	u32 type, id;
	u8 tag[BPF_TAG_SIZE];
	u32 jited_prog_len, xlated_prog_len;
	aligned_u64 jited_prog_insns, xlated_prog_insns;
	u64 load_time;
	u32 created_by_uid, nr_map_ids;
	aligned_u64 map_ids;
	char name[BPF_OBJ_NAME_LEN];
	u32 ifindex;
	u32 gpl_compatible : 1, : 31;
	u64 netns_dev, netns_ino;
	u32 nr_jited_ksyms, nr_jited_func_lens;
	aligned_u64 jited_ksyms, jited_func_lens;
	u32 btf_id, func_info_rec_size;
	aligned_u64 func_info;
	u32 nr_func_info, nr_line_info;
	aligned_u64 line_info, jited_line_info;
	u32 nr_jited_line_info, line_info_rec_size, jited_line_info_rec_size, nr_prog_tags;
	aligned_u64 prog_tags;
	u64 run_time_ns, run_cnt, recursion_misses;
	u32 verified_insns, attach_btf_obj_id, attach_btf_id;
} __aligned(8);

struct bpf_map_info {
	u32 type, id, key_size, value_size, max_entries, map_flags;
	char name[BPF_OBJ_NAME_LEN];
	u32 ifindex, btf_vmlinux_value_type_id;
	u64 netns_dev, netns_ino;
	u32 btf_id, btf_key_type_id, btf_value_type_id, : 32;
	u64 map_extra;
} __aligned(8);

struct bpf_btf_info {
	aligned_u64 btf;
	u32 btf_size, id;
	aligned_u64 name;
	u32 name_len, kernel_btf;
} __aligned(8);
