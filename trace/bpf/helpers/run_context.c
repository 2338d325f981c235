/* Helpers that tell of the attachment whose program runs, and of the function it is attached to. */
#include "kernel/errno.h"
#include "trace/bpf/attach/run.h"
#include "trace/bpf/helpers/helpers.h"

/* KPROBE, TRACEPOINT and PERF_EVENT programs. There is no test run of them. */
BPF_CALL_0(bpf_get_attach_cookie_run)
{
	return bpf_current_run_ctx()->cookie;
}

BPF_CALL_0(bpf_get_func_ip_run)
{
	return bpf_current_run_ctx()->func_ip;
}

/* fentry, fexit and fmod_ret programs. */
BPF_CALL_1(bpf_get_attach_cookie_args, const void *, ctx)
{
	return bpf_tramp_args_of(ctx)->cookie;
}

BPF_CALL_1(bpf_get_func_ip_args, const void *, ctx)
{
	return bpf_tramp_args_of(ctx)->func_ip;
}

BPF_CALL_3(bpf_get_func_arg, const void *, ctx, u32, n, u64 *, value)
{
	const struct bpf_tramp_args *args = bpf_tramp_args_of(ctx);

	if (n >= args->nr_args)
		return (u64)-EINVAL;
	*value = args->args[n];
	return 0;
}

BPF_CALL_2(bpf_get_func_ret, const void *, ctx, u64 *, value)
{
	const struct bpf_tramp_args *args = bpf_tramp_args_of(ctx);

	*value = args->args[args->nr_args];
	return 0;
}

BPF_CALL_1(bpf_get_func_arg_cnt, const void *, ctx)
{
	return bpf_tramp_args_of(ctx)->nr_args;
}
