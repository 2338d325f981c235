/* opens, the part in the kernel: counts how often the tasks of each name have opened each file. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "opens.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* The oldest entries make room for new ones. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct opened);
	__type(value, unsigned long long);
} counts SEC(".maps");

/* Runs when vfs_open() returns. Its arguments are still there, and behind them is its result. */
SEC("fexit/vfs_open")
int BPF_PROG(vfs_open_returns, const struct path *path, struct file *file, int error)
{
	struct opened key = {};
	unsigned long long one = 1, *count;

	if (error)
		return 0;
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	bpf_probe_read_kernel_str(key.file, sizeof(key.file), path->dentry->d_name.name);
	count = bpf_map_lookup_elem(&counts, &key);
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		bpf_map_update_elem(&counts, &key, &one, BPF_ANY);
	return 0;
}
