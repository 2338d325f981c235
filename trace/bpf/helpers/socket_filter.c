/*
 * SOCKET_FILTER programs. No socket takes one: libbpf loads them to try what the kernel knows, and
 * test suites run them by BPF_PROG_TEST_RUN. Pure.
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/core/skb.h"
#include "trace/bpf/helpers/helpers.h"

/* The buffer is filled in any case. */
BPF_CALL_4(bpf_skb_load_bytes, const struct bpf_skb *, skb, u32, offset, void *, to, u32, size)
{
	if (offset <= skb->len && size <= skb->len - offset) {
		memcpy(to, skb->data + offset, size);
		return 0;
	}
	memset(to, 0, size);
	return (u64)-EFAULT;
}

/* clang-format off */
static const struct bpf_helper helpers[] = {
	BPF_HELPER(skb_load_bytes,
		   BPF_ARGS(ARG_PTR_TO_CTX, ARG_ANYTHING, ARG_MEM_OUT, ARG_CONST_SIZE)),
	BPF_HELPER(ktime_get_coarse_ns), /* on Linux, too, no program of tracing has it */
	{ .id = 0 },
};
/* clang-format on */

static const struct bpf_func_proto *get_func_proto(u32 id, const struct bpf_prog *prog __unused)
{
	const struct bpf_func_proto *proto = bpf_find_helper(helpers, id);

	return proto ? proto : bpf_find_helper(bpf_base_helpers, id);
}

/* Fields of struct __sk_buff that exist without a socket and a network device. */
static const struct {
	int start, end;
} readable[] = {
	{ 0, 72 },    /* len to hash */
	{ 84, 88 },   /* napi_id */
	{ 164, 168 }, /* gso_segs */
	{ 176, 180 }, /* gso_size */
};
#define CB_START 48 /* cb[5], which programs may write */
#define CB_END   68

static bool is_valid_access(int off, int size, bool write, const struct bpf_prog *prog __unused,
			    struct bpf_insn_access_aux *aux __unused)
{
	if (off % size)
		return false;
	if (off >= CB_START && off < CB_END)
		return off + size <= CB_END;
	if (write || size > 4)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(readable); i++)
		if (off >= readable[i].start && off + size <= readable[i].end)
			return true;
	return false;
}

const struct bpf_prog_type_ops bpf_socket_filter_ops = {
	.type = BPF_PROG_TYPE_SOCKET_FILTER,
	.name = "socket_filter",
	.get_func_proto = get_func_proto,
	.is_valid_access = is_valid_access,
	.test_run = bpf_test_run_socket_filter,
	.ctx_size = BPF_SK_BUFF_SIZE,
};
