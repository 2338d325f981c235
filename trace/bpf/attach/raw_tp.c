/*
 * Programs at tracepoints: RAW_TRACEPOINT programs, and TRACING programs for a tracepoint (tp_btf).
 * The context is the arguments of the tracepoint, one word each.
 *
 * The probe of a tracepoint has the types of its arguments. A function of words can stand for it:
 * an argument that is a word or less is in a register or in a word of the stack (System V ABI,
 * section 3.2.3). The bits above a shorter argument may be anything, so masks clear them. The
 * kernel's BTF tells the number of arguments and their sizes.
 *
 * While the program is the only probe, the sites call code that was made for it: direct.c.
 */
#include "arch/mm/uaccess.h"
#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rculist.h"
#include "kernel/tracepoint.h"
#include "trace/bpf/attach/direct.h"
#include "trace/bpf/attach/link.h"
#include "trace/bpf/attach/run.h"
#include "trace/bpf/core/btf.h"
#include "trace/bpf/syscall/command.h"
#include "trace/events/event.h"

#define MAX_ARGS 12 /* Linux's */

struct bpf_raw_tp_link {
	struct bpf_link link;
	/* Constant. */
	struct tracepoint *tp;
	struct module *module; /* counted: of the tracepoint; NULL: the kernel's */
	void *probe;
	u32 nr_args;
	u64 masks[MAX_ARGS];
	struct bpf_direct *direct; /* NULL: none */
};

/* ---- probes. Any context, preemption off ---- */

static __always_inline void run(const struct bpf_raw_tp_link *raw, u64 *args, unsigned nr)
{
	const struct bpf_prog *prog = raw->link.prog;

	if (!bpf_prog_enter(prog))
		return;
	for (unsigned i = 0; i < nr; i++)
		args[i] &= raw->masks[i];
	(void)bpf_prog_run_counted(prog, args);
	bpf_prog_exit(prog);
}

/* Of a program that does not read its context, at any tracepoint. */
static void probe_any(const struct bpf_raw_tp_link *raw)
{
	run(raw, NULL, 0);
}

#define PARAMS(args...) args
#define PROBE(nr, params, values)                                                                  \
	static void probe_##nr(const struct bpf_raw_tp_link *raw, params)                          \
	{                                                                                          \
		u64 args[] = { values };                                                           \
                                                                                                   \
		run(raw, args, nr);                                                                \
	}
#define P1  u64 a
#define P2  P1, u64 b
#define P3  P2, u64 c
#define P4  P3, u64 d
#define P5  P4, u64 e
#define P6  P5, u64 f
#define P7  P6, u64 g
#define P8  P7, u64 h
#define P9  P8, u64 i
#define P10 P9, u64 j
#define P11 P10, u64 k
#define P12 P11, u64 l
PROBE(1, PARAMS(P1), PARAMS(a))
PROBE(2, PARAMS(P2), PARAMS(a, b))
PROBE(3, PARAMS(P3), PARAMS(a, b, c))
PROBE(4, PARAMS(P4), PARAMS(a, b, c, d))
PROBE(5, PARAMS(P5), PARAMS(a, b, c, d, e))
PROBE(6, PARAMS(P6), PARAMS(a, b, c, d, e, f))
PROBE(7, PARAMS(P7), PARAMS(a, b, c, d, e, f, g))
PROBE(8, PARAMS(P8), PARAMS(a, b, c, d, e, f, g, h))
PROBE(9, PARAMS(P9), PARAMS(a, b, c, d, e, f, g, h, i))
PROBE(10, PARAMS(P10), PARAMS(a, b, c, d, e, f, g, h, i, j))
PROBE(11, PARAMS(P11), PARAMS(a, b, c, d, e, f, g, h, i, j, k))
PROBE(12, PARAMS(P12), PARAMS(a, b, c, d, e, f, g, h, i, j, k, l))

static void *const probes[] = { NULL,    probe_1, probe_2, probe_3,  probe_4,  probe_5, probe_6,
				probe_7, probe_8, probe_9, probe_10, probe_11, probe_12 };
BUILD_BUG_ON(ARRAY_SIZE(probes) != MAX_ARGS + 1);

/* ---- what BTF says of a tracepoint ---- */

/* FUNC_PROTO of the probe, behind the typedef btf_trace_NAME; NULL: there is none. */
static const struct btf_type *find_proto(const struct btf *btf, const char *name)
{
	static const char prefix[] = "btf_trace_";
	const struct btf_type *t;

	for (u32 id = 1; id < btf->nr_types; id++) {
		const char *type_name;

		t = btf_type_by_id(btf, id);
		if (btf_kind(t) != BTF_KIND_TYPEDEF)
			continue;
		type_name = btf_name_by_offset(btf, t->name_off);
		if (strncmp(type_name, prefix, sizeof(prefix) - 1) ||
		    strcmp(type_name + sizeof(prefix) - 1, name))
			continue;
		t = btf_type_by_id(btf, t->type);
		t = t && btf_kind(t) == BTF_KIND_PTR ? btf_type_by_id(btf, t->type) : NULL;
		return t && btf_kind(t) == BTF_KIND_FUNC_PROTO ? t : NULL;
	}
	return NULL;
}

/* 0: the argument is a structure, and may take several words. */
static u64 mask_of(const struct btf *btf, u32 type)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, type, NULL);

	if (t && (btf_kind(t) == BTF_KIND_STRUCT || btf_kind(t) == BTF_KIND_UNION))
		return 0;
	if (!t || btf_kind(t) == BTF_KIND_PTR || t->size >= sizeof(u64))
		return ~0ULL;
	return (1ULL << 8 * t->size) - 1;
}

/* Chooses the probe for the program. 0 or an errno. */
static int set_probe_by(struct bpf_raw_tp_link *raw, const struct btf *btf)
{
	const struct btf_type *proto = btf ? find_proto(btf, raw->tp->name) : NULL;
	u32 nr = proto ? btf_vlen(proto) : 0;

	if (nr < 2 || nr - 1 > MAX_ARGS)
		return -EINVAL;
	for (u32 i = 1; i < nr; i++) {
		raw->masks[i - 1] = mask_of(btf, btf_params(proto)[i].type);
		if (!raw->masks[i - 1])
			return -EINVAL;
	}
	raw->nr_args = nr - 1;
	raw->probe = raw->link.prog->ctx_words ? probes[nr - 1] : (void *)probe_any;
	return raw->link.prog->max_ctx_offset > (nr - 1) * sizeof(u64) ? -EINVAL : 0;
}

static int set_probe(struct bpf_raw_tp_link *raw)
{
	struct bpf_btf *btf;
	int error;

	if (!raw->module)
		return set_probe_by(raw, btf_vmlinux());
	btf = bpf_btf_of_module(raw->module);
	if (!btf)
		return -EINVAL;
	error = set_probe_by(raw, bpf_btf_types(btf));
	bpf_btf_put(btf);
	return error;
}

/* ---- links. Task context ---- */

static void release_link(struct bpf_link *link)
{
	struct bpf_raw_tp_link *raw = container_of(link, struct bpf_raw_tp_link, link);

	(void)tracepoint_probe_unregister(raw->tp, raw->probe, raw);
	bpf_direct_retire(raw->direct);
	module_put(raw->module);
}

static void free_link(struct bpf_link *link)
{
	kfree(container_of(link, struct bpf_raw_tp_link, link));
}

static int fill_info(const struct bpf_link *link, struct bpf_link_info *info)
{
	const char *name = bpf_raw_tp_link_name(link);
	u32 size = info->raw_tracepoint.tp_name_len;

	if (!size != !info->raw_tracepoint.tp_name)
		return -EINVAL;
	info->raw_tracepoint.tp_name_len = (u32)strlen(name) + 1;
	return size ? bpf_copy_text(info->raw_tracepoint.tp_name, size, name) : 0;
}

static void show_fdinfo(const struct bpf_link *link, struct seq_file *m)
{
	seq_printf(m, "tp_name:\t%s\n", bpf_raw_tp_link_name(link));
}

static const struct bpf_link_ops raw_tp_link_ops = {
	.type = BPF_LINK_TYPE_RAW_TRACEPOINT,
	.name = "raw_tracepoint",
	.release = release_link,
	.free = free_link,
	.fill_info = fill_info,
	.show_fdinfo = show_fdinfo,
};

const char *bpf_raw_tp_link_name(const struct bpf_link *link)
{
	if (link->ops != &raw_tp_link_ops)
		return NULL;
	return container_of(link, const struct bpf_raw_tp_link, link)->tp->name;
}

struct search {
	const char *name;
	struct tracepoint *tp;
};

static void match(struct tracepoint *tp, void *data)
{
	struct search *search = data;

	if (!strcmp(tp->name, search->name))
		search->tp = tp;
}

/* Finds the module with the tracepoint, which is counted then. NULL: none. */
static struct module *find_module_with(struct search *search)
{
	struct module *module, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu (module, &modules, list) {
		if (READ_ONCE(module->state) == MODULE_STATE_LIVE)
			search->tp = trace_module_tracepoint(module, search->name);
		if (search->tp) {
			found = try_module_get(module) ? module : NULL;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

/*
 * The tracepoint of the program, and *module, which is counted: NULL: it is the kernel's. The types
 * of a TRACING program are those of one module, or of the kernel: the tracepoint is there, too.
 */
static struct tracepoint *find(const struct bpf_prog *prog, const char *name,
			       struct module **module)
{
	struct search search = { .name = name };

	*module = NULL;
	if (prog->attach_btf && !bpf_btf_get_module(prog->attach_btf, module))
		return NULL;
	if (*module)
		return trace_module_tracepoint(*module, name);
	for_each_kernel_tracepoint(match, &search);
	if (search.tp || prog->attach_btf)
		return search.tp;
	*module = find_module_with(&search);
	return *module ? search.tp : NULL;
}

/* 0 or an errno. */
static int register_probe(struct bpf_raw_tp_link *raw)
{
	int error = set_probe(raw);

	if (error)
		return error;
	raw->direct = bpf_direct_create(raw->link.prog, raw->masks, raw->nr_args, raw->tp->name);
	error = tracepoint_probe_register_direct(raw->tp, raw->probe, raw, TRACEPOINT_DEFAULT_PRIO,
						 bpf_direct_entry(raw->direct));
	if (error)
		bpf_direct_retire(raw->direct);
	return error;
}

/* Takes over prog, also if it fails. */
static int attach(struct bpf_prog *prog, const char *name)
{
	struct module *module;
	struct tracepoint *tp = find(prog, name, &module);
	struct bpf_raw_tp_link *raw = tp ? kzalloc(sizeof(*raw), GFP_KERNEL) : NULL;
	int error = -ENOENT;

	if (raw) {
		bpf_link_init(&raw->link, &raw_tp_link_ops, prog);
		raw->tp = tp;
		raw->module = module;
		error = register_probe(raw);
	} else if (tp) {
		error = -ENOMEM;
	}
	if (!error)
		return bpf_link_publish(&raw->link);
	module_put(module);
	bpf_prog_put(prog);
	kfree(raw);
	return error;
}

int bpf_raw_tp_attach(struct bpf_prog *prog, u64 name)
{
	char copy[128];
	int error = -EINVAL;

	if (prog->type == BPF_PROG_TYPE_TRACING && !name) {
		if (prog->expected_attach_type == BPF_TRACE_RAW_TP)
			return attach(prog, prog->attach_func_name);
		return bpf_tracing_attach(prog, 0);
	}
	if (prog->type == BPF_PROG_TYPE_RAW_TRACEPOINT) {
		if (strncpy_from_user(copy, (const char __user *)name, sizeof(copy) - 1) >= 0) {
			copy[sizeof(copy) - 1] = '\0';
			return attach(prog, copy);
		}
		error = -EFAULT;
	}
	bpf_prog_put(prog);
	return error;
}

static long raw_tracepoint_open(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
				u32 size __unused)
{
	struct bpf_prog *prog = bpf_prog_get_fd((int)attr->raw_tracepoint.prog_fd);

	return IS_ERR(prog) ? PTR_ERR(prog) : bpf_raw_tp_attach(prog, attr->raw_tracepoint.name);
}
static const struct bpf_command raw_tracepoint_open_command BPF_COMMAND(raw_tracepoint_open) = {
	BPF_RAW_TRACEPOINT_OPEN, BPF_ATTR_END(raw_tracepoint.prog_fd), raw_tracepoint_open
};
