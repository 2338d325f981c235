/*
 * KPROBE programs at many functions by one call, with one fprobe: kprobe.multi and kretprobe.multi.
 * The context is the registers: of arguments and results, sp, ip and bp; the others are 0.
 */
#include "arch/mm/uaccess.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/sort.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "trace/bpf/attach/link.h"
#include "trace/bpf/attach/run.h"
#include "trace/kprobes/fprobe.h"
#include "trace/kprobes/partial_regs.h"

#define CNT_MAX (1U << 20) /* Linux's */

/* A function, and what the program is told there. */
struct place {
	unsigned long addr;
	u64 cookie;
};

struct bpf_multi_link {
	struct bpf_link link;
	struct fprobe fp;
	/* Constant. */
	struct place *places; /* sorted by address, nr of them; NULL: no cookies */
	u32 nr;
};

/* ---- hits. Any context, preemption off ---- */

static u64 find_cookie(const struct bpf_multi_link *multi, unsigned long addr)
{
	size_t i;

	if (!multi->places)
		return 0;
	i = partition_point(multi->nr, n, multi->places[n].addr < addr);
	return i < multi->nr && multi->places[i].addr == addr ? multi->places[i].cookie : 0;
}

/* ftrace saves the other registers of the context. It does not restore these. */
static void complete_regs(struct pt_regs *regs, unsigned long ip)
{
	regs->r15 = regs->r14 = regs->r13 = regs->r12 = regs->bx = 0;
	regs->r11 = regs->r10 = regs->ax = regs->orig_ax = 0;
	regs->cs = regs->flags = regs->ss = 0;
	regs->ip = ip;
}

static void hit(const struct bpf_multi_link *multi, unsigned long func, struct pt_regs *regs)
{
	const struct bpf_run_ctx ctx = { .cookie = find_cookie(multi, func), .func_ip = func };

	(void)bpf_event_run(multi->link.prog, &ctx, regs);
}

static int entry_hit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip __unused,
		     struct ftrace_regs *fregs, void *entry_data __unused)
{
	struct pt_regs *regs = ftrace_partial_regs(fregs);

	if (!ftrace_get_regs(fregs)) {
		complete_regs(regs, entry_ip);
		regs->bp = ftrace_regs_bp(fregs);
	}
	hit(container_of(fp, struct bpf_multi_link, fp), entry_ip, regs);
	return 0;
}

static void exit_hit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		     struct ftrace_regs *fregs, void *entry_data __unused)
{
	struct pt_regs regs = { .ax = fregs->regs.ax,
				.dx = fregs->regs.dx,
				.ip = ret_ip,
				.bp = fgraph_regs_bp(fregs),
				.sp = (unsigned long)(fgraph_return_slot(fregs) + 1) };

	hit(container_of(fp, struct bpf_multi_link, fp), entry_ip, &regs);
}

/* ---- links. Task context ---- */

static void release_link(struct bpf_link *link)
{
	(void)unregister_fprobe(&container_of(link, struct bpf_multi_link, link)->fp);
}

static void free_link(struct bpf_link *link)
{
	struct bpf_multi_link *multi = container_of(link, struct bpf_multi_link, link);

	kvfree(multi->places);
	kfree(multi);
}

static const struct bpf_link_ops multi_link_ops = {
	.type = BPF_LINK_TYPE_KPROBE_MULTI,
	.name = "kprobe_multi",
	.release = release_link,
	.free = free_link,
};

/* The address of the function whose name a program passes, or an errno. */
static long find_function(u64 name)
{
	char copy[KSYM_NAME_LEN];
	long length = strncpy_from_user(copy, (const char __user *)name, sizeof(copy));
	unsigned long addr;

	if (length == sizeof(copy))
		return -E2BIG;
	if (length < 0)
		return -EFAULT;
	addr = kallsyms_lookup_name(copy);
	return addr ? (long)addr : -ESRCH;
}

/* Fills in places[i], of what the user passes. 0 or an errno. */
static int copy_place(const union bpf_attr *attr, u32 i, struct place *place)
{
	const u64 __user *addrs = (const u64 __user *)attr->link_create.kprobe_multi.addrs;
	const u64 __user *syms = (const u64 __user *)attr->link_create.kprobe_multi.syms;
	const u64 __user *cookies = (const u64 __user *)attr->link_create.kprobe_multi.cookies;
	u64 word;
	long addr;

	if (get_user(word, (addrs ? addrs : syms) + i))
		return -EFAULT;
	addr = addrs ? (long)word : find_function(word);
	if (!addrs && addr < 0 && addr >= -MAX_ERRNO)
		return (int)addr;
	place->addr = (unsigned long)addr;
	return cookies && get_user(place->cookie, cookies + i) ? -EFAULT : 0;
}

static int compare(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	return p->addr < q->addr ? -1 : p->addr > q->addr;
}

/* Fills in places, and registers the probe at them. addrs: room for nr words. 0 or an errno. */
static int register_places(struct bpf_multi_link *multi, const union bpf_attr *attr,
			   unsigned long *addrs)
{
	int error = 0;

	for (u32 i = 0; i < multi->nr && !error; i++) {
		error = copy_place(attr, i, &multi->places[i]);
		if (fatal_signal_pending(current))
			error = -EINTR;
	}
	if (error)
		return error;
	sort(multi->places, multi->nr, sizeof(*multi->places), compare);
	for (u32 i = 0; i < multi->nr; i++)
		addrs[i] = multi->places[i].addr;
	if (!attr->link_create.kprobe_multi.cookies) {
		kvfree(multi->places);
		multi->places = NULL;
	}
	return register_fprobe_ips(&multi->fp, addrs, (int)multi->nr);
}

static int check(const union bpf_attr *attr, const struct bpf_prog *prog)
{
	u32 cnt = attr->link_create.kprobe_multi.cnt;

	if (prog->expected_attach_type != BPF_TRACE_KPROBE_MULTI || prog->sleepable ||
	    prog->overrides_return ||
	    (attr->link_create.kprobe_multi.flags & ~BPF_F_KPROBE_MULTI_RETURN) ||
	    !attr->link_create.kprobe_multi.addrs == !attr->link_create.kprobe_multi.syms || !cnt)
		return -EINVAL;
	return cnt > CNT_MAX ? -E2BIG : 0;
}

/* 0 or an errno. */
static int begin(struct bpf_multi_link *multi, const union bpf_attr *attr)
{
	unsigned long *addrs;
	int error = -ENOMEM;

	multi->nr = attr->link_create.kprobe_multi.cnt;
	if (attr->link_create.kprobe_multi.flags & BPF_F_KPROBE_MULTI_RETURN)
		multi->fp.exit_handler = exit_hit;
	else
		multi->fp.entry_handler = entry_hit;
	multi->places = kvzalloc(multi->nr * sizeof(*multi->places), GFP_KERNEL);
	addrs = kvzalloc(multi->nr * sizeof(*addrs), GFP_KERNEL);
	if (multi->places && addrs)
		error = register_places(multi, attr, addrs);
	kvfree(addrs);
	return error;
}

int bpf_kprobe_multi_attach(const union bpf_attr *attr, struct bpf_prog *prog)
{
	struct bpf_multi_link *multi;
	int error = check(attr, prog);

	multi = error ? NULL : kzalloc(sizeof(*multi), GFP_KERNEL);
	if (!multi) {
		bpf_prog_put(prog);
		return error ? error : -ENOMEM;
	}
	bpf_link_init(&multi->link, &multi_link_ops, prog);
	error = begin(multi, attr);
	if (!error)
		return bpf_link_publish(&multi->link);
	bpf_prog_put(prog);
	free_link(&multi->link);
	return error;
}
