/*
 * BPF_PROG_TEST_RUN: a program runs once for the caller, or many times to be timed, with a context
 * and a packet that the caller makes up. Linux's order of checks.
 */
#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"
#include "trace/bpf/attach/run.h"
#include "trace/bpf/core/skb.h"
#include "trace/bpf/helpers/helpers.h"
#include "trace/bpf/syscall/objects.h"

#define BPF_F_TEST_RUN_ON_CPU 1
#define SYSCALL_CTX_MAX       0xffff

static u32 run_once(struct bpf_prog *prog, const void *ctx)
{
	u32 retval;

	preempt_disable();
	retval = bpf_prog_run_counted(prog, ctx);
	preempt_enable();
	return retval;
}

/* *duration: ns of a run, in the middle. 0 or -EINTR. */
static int run_often(struct bpf_prog *prog, const void *ctx, u32 repeat, u32 *retval, u32 *duration)
{
	ktime_t start, spent = 0;

	repeat = repeat ? repeat : 1;
	for (u32 i = 0; i < repeat; i++) {
		if (i && signal_pending(current))
			return -EINTR;
		start = ktime_get();
		*retval = run_once(prog, ctx);
		spent += ktime_get() - start;
		cond_resched();
	}
	*duration = (u32)min((u64)spent / repeat, 0xffffffffUL);
	return 0;
}

/* ---- socket filters ---- */

#define ETH_HLEN   14   /* the header of Ethernet, which a filter does not see */
#define PACKET_MAX 3712 /* Linux's: a page without what stands around the packet there */

/* struct __sk_buff: the members that a run uses. */
enum {
	SKB_LEN = 0,
	SKB_MARK = 8,
	SKB_PROTOCOL = 16,
	SKB_PRIORITY = 32,
	SKB_IFINDEX = 40,
	SKB_CB = 48,
	SKB_CB_END = 68,
	SKB_TSTAMP = 152,
	SKB_WIRE_LEN = 160,
	SKB_GSO_SEGS = 164,
	SKB_GSO_SEGS_END = 168,
	SKB_GSO_SIZE = 176,
	SKB_GSO_SIZE_END = 180,
	SKB_HWTSTAMP = 184
};

static u32 *skb_field(u8 *uapi, unsigned off)
{
	return (u32 *)(void *)(uapi + off);
}

/* What a caller sets must be what there is. */
static bool is_good_skb(const u8 *uapi)
{
	return bpf_is_zero(uapi, 0, SKB_MARK) && bpf_is_zero(uapi, SKB_MARK + 4, SKB_PRIORITY) &&
	       bpf_is_zero(uapi, SKB_IFINDEX + 4, SKB_CB) &&
	       bpf_is_zero(uapi, SKB_CB_END, SKB_TSTAMP) &&
	       bpf_is_zero(uapi, SKB_GSO_SEGS_END, SKB_GSO_SIZE) &&
	       bpf_is_zero(uapi, SKB_GSO_SIZE_END, SKB_HWTSTAMP);
}

/* The context that the caller passes, else zeros. 0 or an errno. */
static int read_skb(struct bpf_skb *skb, const union bpf_attr *attr)
{
	const void __user *from = (const void __user *)attr->test.ctx_in;
	u32 size = min(attr->test.ctx_size_in, (u32)sizeof(skb->uapi));
	int error;

	if (!from)
		return 0;
	error = bpf_check_uarg_tail_zero(from, sizeof(skb->uapi), attr->test.ctx_size_in);
	if (error)
		return error;
	if (copy_from_user(skb->uapi, from, size))
		return -EFAULT;
	if (*skb_field(skb->uapi, SKB_IFINDEX) > 1)
		return -ENODEV; /* 1: lo */
	return is_good_skb(skb->uapi) ? 0 : -EINVAL;
}

/* The packet starts behind the header of Ethernet, which tells the protocol. */
static int set_packet(struct bpf_skb *skb, u8 *packet, u32 size)
{
	u32 *wire_len = skb_field(skb->uapi, SKB_WIRE_LEN);

	skb->data = packet + ETH_HLEN;
	skb->len = size - ETH_HLEN;
	skb->header_len = ETH_HLEN;
	if (*wire_len && *wire_len < skb->len)
		return -EINVAL;
	if (!*wire_len)
		*wire_len = skb->len;
	*skb_field(skb->uapi, SKB_LEN) = skb->len;
	*skb_field(skb->uapi, SKB_PROTOCOL) = packet[12] | (u32)packet[13] << 8;
	*skb_field(skb->uapi, SKB_IFINDEX) = 1;
	return 0;
}

/* Copies as much as there is room for. 0, -ENOSPC (a part), -EFAULT. */
static int put_part(u64 to, const void *from, u32 size, u32 room)
{
	if (copy_to_user((void __user *)to, from, min(size, room)))
		return -EFAULT;
	return size > room ? -ENOSPC : 0;
}

static int put_packet(const union bpf_attr *attr, union bpf_attr __user *uattr, u8 *packet,
		      u32 size, u32 retval, u32 duration)
{
	u32 room = attr->test.data_size_out ? attr->test.data_size_out : size;
	int error = size > room ? -ENOSPC : 0;

	memset(packet, 0, ETH_HLEN);
	if (attr->test.data_out)
		error = put_part(attr->test.data_out, packet, size, room);
	if (error == -EFAULT || put_user(size, &uattr->test.data_size_out) ||
	    put_user(retval, &uattr->test.retval) || put_user(duration, &uattr->test.duration))
		return -EFAULT;
	return error;
}

static int put_skb(const union bpf_attr *attr, union bpf_attr __user *uattr, struct bpf_skb *skb)
{
	int error;

	if (!attr->test.ctx_out)
		return 0;
	*skb_field(skb->uapi, SKB_LEN) = 0;
	*skb_field(skb->uapi, SKB_PROTOCOL) = 0;
	error = put_part(attr->test.ctx_out, skb->uapi, sizeof(skb->uapi), attr->test.ctx_size_out);
	if (error == -EFAULT || put_user((u32)sizeof(skb->uapi), &uattr->test.ctx_size_out))
		return -EFAULT;
	return error;
}

/* packet: a copy of what the caller passes. */
static int run_packet(struct bpf_prog *prog, const union bpf_attr *attr,
		      union bpf_attr __user *uattr, u8 *packet)
{
	u32 retval = 0, duration = 0, size = attr->test.data_size_in;
	struct bpf_skb skb = { .len = 0 };
	int error = read_skb(&skb, attr);

	if (!error)
		error = set_packet(&skb, packet, size);
	if (!error)
		error = run_often(prog, &skb, attr->test.repeat, &retval, &duration);
	if (!error)
		error = put_packet(attr, uattr, packet, size, retval, duration);
	return error ? error : put_skb(attr, uattr, &skb);
}

int bpf_test_run_socket_filter(struct bpf_prog *prog, const union bpf_attr *attr,
			       union bpf_attr __user *uattr)
{
	u8 *packet;
	int error;

	if (attr->test.flags || attr->test.cpu || attr->test.batch_size ||
	    attr->test.data_size_in < ETH_HLEN || attr->test.data_size_in > PACKET_MAX)
		return -EINVAL;
	packet = bpf_copy_in(attr->test.data_in, attr->test.data_size_in);
	if (IS_ERR(packet))
		return (int)PTR_ERR(packet);
	error = run_packet(prog, attr, uattr, packet);
	kvfree(packet);
	return error;
}

/* ---- raw tracepoints ---- */

struct raw_run {
	struct bpf_prog *prog;
	const void *ctx;
	u32 retval;
};

/* On the CPU that the caller asks for. Preemption or interrupts off. */
static void run_here(void *data)
{
	struct raw_run *run = data;

	run->retval = run_once(run->prog, run->ctx);
}

static int run_on(struct raw_run *run, u32 flags, u32 cpu)
{
	int error = 0;
	u32 here = get_cpu();

	if (!(flags & BPF_F_TEST_RUN_ON_CPU) || cpu == here)
		run_here(run);
	else if (cpu >= nr_cpu_ids || !cpu_online(cpu))
		error = -ENXIO;
	else
		error = smp_call_function_single(cpu, run_here, run, true);
	put_cpu();
	return error;
}

int bpf_test_run_raw_tracepoint(struct bpf_prog *prog, const union bpf_attr *attr,
				union bpf_attr __user *uattr)
{
	u32 size = attr->test.ctx_size_in;
	struct raw_run run = { .prog = prog };
	void *ctx = NULL;
	int error;

	if (attr->test.data_in || attr->test.data_out || attr->test.ctx_out ||
	    attr->test.duration || attr->test.repeat || attr->test.batch_size)
		return -EINVAL;
	if (size < prog->max_ctx_offset || size > MAX_BPF_FUNC_ARGS * sizeof(u64))
		return -EINVAL;
	if (!(attr->test.flags & BPF_F_TEST_RUN_ON_CPU) && attr->test.cpu)
		return -EINVAL;
	if (size)
		ctx = bpf_copy_in(attr->test.ctx_in, size);
	if (IS_ERR(ctx))
		return (int)PTR_ERR(ctx);
	run.ctx = ctx;
	error = run_on(&run, attr->test.flags, attr->test.cpu);
	kvfree(ctx);
	return error ? error : put_user(run.retval, &uattr->test.retval);
}

/* ---- syscall programs ---- */

int bpf_test_run_syscall(struct bpf_prog *prog, const union bpf_attr *attr,
			 union bpf_attr __user *uattr)
{
	u32 size = attr->test.ctx_size_in, retval;
	void *ctx = NULL;
	int error;

	if (attr->test.data_in || attr->test.data_out || attr->test.ctx_out ||
	    attr->test.duration || attr->test.repeat || attr->test.flags || attr->test.batch_size)
		return -EINVAL;
	if (size < prog->max_ctx_offset || size > SYSCALL_CTX_MAX)
		return -EINVAL;
	if (size)
		ctx = bpf_copy_in(attr->test.ctx_in, size);
	if (IS_ERR(ctx))
		return (int)PTR_ERR(ctx);
	retval = run_once(prog, ctx);
	error = put_user(retval, &uattr->test.retval);
	if (!error && size && copy_to_user((void __user *)attr->test.ctx_in, ctx, size))
		error = -EFAULT;
	kvfree(ctx);
	return error;
}

/* ---- the command ---- */

static long prog_test_run(const union bpf_attr *attr, union bpf_attr __user *uattr,
			  u32 size __unused)
{
	struct bpf_prog *prog;
	int error;

	if (!attr->test.ctx_size_in != !attr->test.ctx_in ||
	    !attr->test.ctx_size_out != !attr->test.ctx_out)
		return -EINVAL;
	prog = bpf_prog_get_fd((int)attr->test.prog_fd);
	if (IS_ERR(prog))
		return PTR_ERR(prog);
	error = prog->ops->test_run ? prog->ops->test_run(prog, attr, uattr) : -ENOTSUPP;
	bpf_prog_put(prog);
	return error;
}
static const struct bpf_command prog_test_run_command BPF_COMMAND(prog_test_run) = {
	BPF_PROG_TEST_RUN, BPF_ATTR_END(test.batch_size), prog_test_run
};
