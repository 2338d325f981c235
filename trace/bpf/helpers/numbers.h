/*
 * The numbers and names of Linux 6.1's helpers: the number is the place in the list. A program says
 * the number; texts for the user say the name, also of a helper that nop5 does not have.
 */
#pragma once

#include "kernel/types.h"

/* clang-format off */
#define BPF_FUNC_NAMES(X) \
	X(unspec) X(map_lookup_elem) X(map_update_elem) X(map_delete_elem) X(probe_read) \
	X(ktime_get_ns) X(trace_printk) X(get_prandom_u32) X(get_smp_processor_id) \
	X(skb_store_bytes) X(l3_csum_replace) X(l4_csum_replace) X(tail_call) X(clone_redirect) \
	X(get_current_pid_tgid) X(get_current_uid_gid) X(get_current_comm) X(get_cgroup_classid) \
	X(skb_vlan_push) X(skb_vlan_pop) X(skb_get_tunnel_key) X(skb_set_tunnel_key) \
	X(perf_event_read) X(redirect) X(get_route_realm) X(perf_event_output) X(skb_load_bytes) \
	X(get_stackid) X(csum_diff) X(skb_get_tunnel_opt) X(skb_set_tunnel_opt) \
	X(skb_change_proto) X(skb_change_type) X(skb_under_cgroup) X(get_hash_recalc) \
	X(get_current_task) X(probe_write_user) X(current_task_under_cgroup) X(skb_change_tail) \
	X(skb_pull_data) X(csum_update) X(set_hash_invalid) X(get_numa_node_id) \
	X(skb_change_head) X(xdp_adjust_head) X(probe_read_str) X(get_socket_cookie) \
	X(get_socket_uid) X(set_hash) X(setsockopt) X(skb_adjust_room) X(redirect_map) \
	X(sk_redirect_map) X(sock_map_update) X(xdp_adjust_meta) X(perf_event_read_value) \
	X(perf_prog_read_value) X(getsockopt) X(override_return) X(sock_ops_cb_flags_set) \
	X(msg_redirect_map) X(msg_apply_bytes) X(msg_cork_bytes) X(msg_pull_data) X(bind) \
	X(xdp_adjust_tail) X(skb_get_xfrm_state) X(get_stack) X(skb_load_bytes_relative) \
	X(fib_lookup) X(sock_hash_update) X(msg_redirect_hash) X(sk_redirect_hash) \
	X(lwt_push_encap) X(lwt_seg6_store_bytes) X(lwt_seg6_adjust_srh) X(lwt_seg6_action) \
	X(rc_repeat) X(rc_keydown) X(skb_cgroup_id) X(get_current_cgroup_id) \
	X(get_local_storage) X(sk_select_reuseport) X(skb_ancestor_cgroup_id) X(sk_lookup_tcp) \
	X(sk_lookup_udp) X(sk_release) X(map_push_elem) X(map_pop_elem) X(map_peek_elem) \
	X(msg_push_data) X(msg_pop_data) X(rc_pointer_rel) X(spin_lock) X(spin_unlock) \
	X(sk_fullsock) X(tcp_sock) X(skb_ecn_set_ce) X(get_listener_sock) X(skc_lookup_tcp) \
	X(tcp_check_syncookie) X(sysctl_get_name) X(sysctl_get_current_value) \
	X(sysctl_get_new_value) X(sysctl_set_new_value) X(strtol) X(strtoul) X(sk_storage_get) \
	X(sk_storage_delete) X(send_signal) X(tcp_gen_syncookie) X(skb_output) \
	X(probe_read_user) X(probe_read_kernel) X(probe_read_user_str) X(probe_read_kernel_str) \
	X(tcp_send_ack) X(send_signal_thread) X(jiffies64) X(read_branch_records) \
	X(get_ns_current_pid_tgid) X(xdp_output) X(get_netns_cookie) \
	X(get_current_ancestor_cgroup_id) X(sk_assign) X(ktime_get_boot_ns) X(seq_printf) \
	X(seq_write) X(sk_cgroup_id) X(sk_ancestor_cgroup_id) X(ringbuf_output) \
	X(ringbuf_reserve) X(ringbuf_submit) X(ringbuf_discard) X(ringbuf_query) X(csum_level) \
	X(skc_to_tcp6_sock) X(skc_to_tcp_sock) X(skc_to_tcp_timewait_sock) \
	X(skc_to_tcp_request_sock) X(skc_to_udp6_sock) X(get_task_stack) X(load_hdr_opt) \
	X(store_hdr_opt) X(reserve_hdr_opt) X(inode_storage_get) X(inode_storage_delete) \
	X(d_path) X(copy_from_user) X(snprintf_btf) X(seq_printf_btf) X(skb_cgroup_classid) \
	X(redirect_neigh) X(per_cpu_ptr) X(this_cpu_ptr) X(redirect_peer) X(task_storage_get) \
	X(task_storage_delete) X(get_current_task_btf) X(bprm_opts_set) X(ktime_get_coarse_ns) \
	X(ima_inode_hash) X(sock_from_file) X(check_mtu) X(for_each_map_elem) X(snprintf) \
	X(sys_bpf) X(btf_find_by_name_kind) X(sys_close) X(timer_init) X(timer_set_callback) \
	X(timer_start) X(timer_cancel) X(get_func_ip) X(get_attach_cookie) X(task_pt_regs) \
	X(get_branch_snapshot) X(trace_vprintk) X(skc_to_unix_sock) X(kallsyms_lookup_name) \
	X(find_vma) X(loop) X(strncmp) X(get_func_arg) X(get_func_ret) X(get_func_arg_cnt) \
	X(get_retval) X(set_retval) X(xdp_get_buff_len) X(xdp_load_bytes) X(xdp_store_bytes) \
	X(copy_from_user_task) X(skb_set_tstamp) X(ima_file_hash) X(kptr_xchg) \
	X(map_lookup_percpu_elem) X(skc_to_mptcp_sock) X(dynptr_from_mem) \
	X(ringbuf_reserve_dynptr) X(ringbuf_submit_dynptr) X(ringbuf_discard_dynptr) \
	X(dynptr_read) X(dynptr_write) X(dynptr_data) X(tcp_raw_gen_syncookie_ipv4) \
	X(tcp_raw_gen_syncookie_ipv6) X(tcp_raw_check_syncookie_ipv4) \
	X(tcp_raw_check_syncookie_ipv6) X(ktime_get_tai_ns) X(user_ringbuf_drain)

#define BPF_FUNC_NUMBER(name) BPF_FUNC_##name,
enum { BPF_FUNC_NAMES(BPF_FUNC_NUMBER) __BPF_FUNC_MAX_ID };
/* clang-format on */
#undef BPF_FUNC_NUMBER

/* "bpf_map_lookup_elem"; "unknown": Linux has no such number. names.c; pure. */
const char *bpf_func_name(u32 id);
