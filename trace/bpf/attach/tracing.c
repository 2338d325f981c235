/* Links of programs at functions: fentry, fexit and fmod_ret, which trampolines run. */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/attach/link.h"
#include "trace/bpf/attach/trampoline.h"
#include "trace/bpf/core/btf.h"

struct bpf_tracing_link {
	struct bpf_link link;
	struct bpf_tramp_link tramp;
	struct module *module; /* constant, counted: of the function; NULL: the kernel's */
};

static void release_link(struct bpf_link *link)
{
	struct bpf_tracing_link *tracing = container_of(link, struct bpf_tracing_link, link);

	bpf_trampoline_detach(&tracing->tramp);
	module_put(tracing->module);
}

static void free_link(struct bpf_link *link)
{
	kfree(container_of(link, struct bpf_tracing_link, link));
}

static int fill_info(const struct bpf_link *link, struct bpf_link_info *info)
{
	info->tracing.attach_type = link->prog->expected_attach_type;
	info->tracing.target_obj_id = link->prog->attach_btf->id;
	info->tracing.target_btf_id = link->prog->attach_btf_id;
	return 0;
}

static void show_fdinfo(const struct bpf_link *link, struct seq_file *m)
{
	seq_printf(m, "attach_type:\t%d\ntarget_obj_id:\t%u\ntarget_btf_id:\t%u\n",
		   link->prog->expected_attach_type, link->prog->attach_btf->id,
		   link->prog->attach_btf_id);
}

static const struct bpf_link_ops tracing_link_ops = {
	.type = BPF_LINK_TYPE_TRACING,
	.name = "tracing",
	.release = release_link,
	.free = free_link,
	.fill_info = fill_info,
	.show_fdinfo = show_fdinfo,
};

/* Whether a trampoline may run it. A tp_btf program and an iterator have no function. */
static bool is_at_function(const struct bpf_prog *prog)
{
	return prog->expected_attach_type == BPF_TRACE_FENTRY ||
	       prog->expected_attach_type == BPF_TRACE_FEXIT ||
	       prog->expected_attach_type == BPF_MODIFY_RETURN;
}

int bpf_tracing_attach(struct bpf_prog *prog, u64 cookie)
{
	struct bpf_tracing_link *tracing = NULL;
	struct module *module = NULL;
	int error = -EINVAL;

	if (is_at_function(prog)) {
		tracing = kzalloc(sizeof(*tracing), GFP_KERNEL);
		error = tracing ? 0 : -ENOMEM;
	}
	if (!error && !bpf_btf_get_module(prog->attach_btf, &module))
		error = -ENOENT;
	if (!error) {
		tracing->module = module;
		tracing->tramp.prog = prog;
		tracing->tramp.cookie = cookie;
		error = bpf_trampoline_attach(&tracing->tramp);
	}
	if (error) {
		module_put(module);
		bpf_prog_put(prog);
		kfree(tracing);
		return error;
	}
	bpf_link_init(&tracing->link, &tracing_link_ops, prog);
	return bpf_link_publish(&tracing->link);
}
