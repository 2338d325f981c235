/* Programs at a function of sample-count and at a tracepoint of trace-events-sample (test_bpf_modules.py). */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

unsigned long entries, good_files, returns, raw, typed, sum;

SEC("fentry/sample_count_show")
int BPF_PROG(show_begins, struct seq_file *m)
{
	__sync_fetch_and_add(&entries, 1);
	if (m->size >= 4096)
		__sync_fetch_and_add(&good_files, 1);
	return 0;
}

SEC("fexit/sample_count_show")
int BPF_PROG(show_ends, struct seq_file *m, void *unused, int result)
{
	if (!result)
		__sync_fetch_and_add(&returns, 1);
	return 0;
}

SEC("raw_tp/foo_bar")
int raw_foo_bar(struct bpf_raw_tracepoint_args *ctx)
{
	char foo[6];

	if (bpf_probe_read_kernel_str(foo, sizeof(foo), (void *)ctx->args[0]) == 6 && foo[4] == 'n')
		__sync_fetch_and_add(&raw, 1);
	return 0;
}

SEC("tp_btf/foo_bar")
int BPF_PROG(typed_foo_bar, const char *foo, int bar)
{
	__sync_fetch_and_add(&typed, 1);
	__sync_fetch_and_add(&sum, bar + 1);
	return 0;
}
