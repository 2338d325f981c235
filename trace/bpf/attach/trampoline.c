/*
 * Trampolines: which programs run at which function of the kernel. A function with programs has
 * one trampoline, whose image is the code for exactly these programs: each change makes a new
 * image. The function's site jumps to the image, if nothing else is attached there
 * (trace/ftrace/direct.c).
 */
#include "trace/bpf/attach/trampoline.h"

#include "kernel/btf/btf.h"
#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/sched.h"
#include "trace/bpf/attach/tramp_image.h"
#include "trace/bpf/core/prog.h"
#include "trace/ftrace/ftrace.h"

#define RETRY_MS 10

/* All [trampoline_mutex]. */
struct bpf_trampoline {
	struct list_head list;
	unsigned long function;
	u32 type_id, nr_args;                       /* of the function; words */
	struct list_head links[NR_BPF_TRAMP_KINDS]; /* in the order in which they run */
	u32 nr_links;
	struct bpf_tramp_image *image;
	struct ftrace_ops ops;
	struct rcu_head rcu;
};

static DEFINE_MUTEX(trampoline_mutex); /* before ftrace_lock */
static LIST_HEAD(trampolines);

static enum bpf_tramp_kind kind_of(const struct bpf_tramp_link *link)
{
	switch (link->prog->expected_attach_type) {
	case BPF_TRACE_FENTRY:
		return BPF_TRAMP_FENTRY;
	case BPF_MODIFY_RETURN:
		return BPF_TRAMP_MODRET;
	default:
		return BPF_TRAMP_FEXIT;
	}
}

/* Words that a value takes in registers, or -EINVAL. */
static int words_of(const struct btf *btf, u32 type)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, type, NULL);

	if (!t || !type) /* type 0 without a name: "..." */
		return -EINVAL;
	if (btf_kind(t) != BTF_KIND_STRUCT && btf_kind(t) != BTF_KIND_UNION)
		return btf_kind(t) == BTF_KIND_FLOAT ? -EINVAL : 1;
	return t->size && t->size <= 16 ? (int)DIV_ROUND_UP(t->size, 8U) : -EINVAL;
}

/* Words of all arguments, or -EINVAL: a trampoline cannot call such a function. */
static int count_args(const struct btf *btf, const struct btf_type *proto)
{
	const struct btf_param *params;
	const struct btf_type *result;
	int sum = 0;

	if (!btf || !proto)
		return -EINVAL;
	result = btf_type_skip_modifiers(btf, proto->type, NULL);
	if (result && (btf_kind(result) == BTF_KIND_STRUCT || btf_kind(result) == BTF_KIND_UNION))
		return -EINVAL;
	params = btf_params(proto);
	for (u32 i = 0; i < btf_vlen(proto); i++) {
		int words = words_of(btf, params[i].type);

		if (words < 0)
			return words;
		sum += words;
	}
	return sum <= BPF_TRAMP_MAX_ARGS ? sum : -EINVAL;
}

/* ---- images ---- */

static void fill_plan(const struct bpf_trampoline *tr, struct bpf_tramp_plan *plan)
{
	plan->function = tr->function;
	plan->nr_args = tr->nr_args;
	for (u32 kind = 0; kind < NR_BPF_TRAMP_KINDS; kind++) {
		const struct bpf_tramp_link *link;

		list_for_each_entry (link, &tr->links[kind], node) {
			plan->links[kind][plan->nr[kind]++] = link;
			plan->traces_stack |= link->prog->has_callchain_buf;
		}
	}
}

static struct bpf_tramp_image *make_image(const struct bpf_trampoline *tr)
{
	struct bpf_tramp_plan *plan = kzalloc(sizeof(*plan), GFP_KERNEL);
	struct bpf_tramp_image *image = NULL;

	if (plan) {
		fill_plan(tr, plan);
		image = bpf_tramp_image_create(plan, tr->type_id);
		kfree(plan);
	}
	return image;
}

/* Lets the function go to a new image. 0 or an errno. */
static int switch_to(struct bpf_trampoline *tr, struct bpf_tramp_image *image)
{
	struct ftrace_direct_code code = bpf_tramp_image_entry(image);
	int error;

	if (tr->image) {
		error = ftrace_change_code(&tr->ops, &code);
	} else {
		error = ftrace_set_filter_ip(&tr->ops, tr->function, false, true);
		if (!error)
			error = ftrace_attach_code(&tr->ops, &code);
	}
	if (error) {
		bpf_tramp_image_retire(image);
		return error;
	}
	if (tr->image)
		bpf_tramp_image_retire(tr->image);
	tr->image = image;
	return 0;
}

/* ---- trampolines ---- */

static struct bpf_trampoline *find(unsigned long function)
{
	struct bpf_trampoline *tr;

	list_for_each_entry (tr, &trampolines, list)
		if (tr->function == function)
			return tr;
	return NULL;
}

static struct bpf_trampoline *create(const struct bpf_prog *prog, u32 nr_args)
{
	struct bpf_trampoline *tr = kzalloc(sizeof(*tr), GFP_KERNEL);

	if (!tr)
		return NULL;
	tr->function = prog->attach_addr;
	tr->type_id = prog->attach_btf_id;
	tr->nr_args = nr_args;
	for (u32 kind = 0; kind < NR_BPF_TRAMP_KINDS; kind++)
		INIT_LIST_HEAD(&tr->links[kind]);
	list_add_tail(&tr->list, &trampolines);
	return tr;
}

static void free_trampoline(struct rcu_head *rcu)
{
	struct bpf_trampoline *tr = container_of(rcu, struct bpf_trampoline, rcu);

	ftrace_free_filter(&tr->ops);
	kfree(tr);
}

/* It has no links. */
static void destroy(struct bpf_trampoline *tr)
{
	list_del(&tr->list);
	if (tr->image) {
		ftrace_detach_code(&tr->ops);
		bpf_tramp_image_retire(tr->image);
	}
	call_rcu_tasks(&tr->rcu, free_trampoline); /* walkers of the list of ops may see its ops */
}

static bool has_prog(const struct bpf_trampoline *tr, const struct bpf_tramp_link *link)
{
	const struct bpf_tramp_link *other;

	list_for_each_entry (other, &tr->links[kind_of(link)], node)
		if (other->prog == link->prog)
			return true;
	return false;
}

static void remove_link(struct bpf_trampoline *tr, struct bpf_tramp_link *link)
{
	list_del(&link->node);
	if (!--tr->nr_links)
		destroy(tr);
}

static int attach_locked(struct bpf_tramp_link *link, u32 nr_args)
{
	struct bpf_trampoline *tr = find(link->prog->attach_addr);
	struct bpf_tramp_image *image;
	int error;

	if (tr && has_prog(tr, link))
		return -EBUSY;
	if (tr && tr->nr_links == BPF_TRAMP_MAX_PROGS)
		return -E2BIG;
	if (!tr)
		tr = create(link->prog, nr_args);
	if (!tr)
		return -ENOMEM;
	link->trampoline = tr;
	list_add(&link->node, &tr->links[kind_of(link)]);
	tr->nr_links++;
	image = make_image(tr);
	error = image ? switch_to(tr, image) : -ENOMEM;
	if (error)
		remove_link(tr, link);
	return error;
}

int bpf_trampoline_attach(struct bpf_tramp_link *link)
{
	int nr_args = count_args(link->prog->attach_types, link->prog->attach_func_proto), error;

	if (nr_args < 0)
		return nr_args;
	mutex_lock(&trampoline_mutex);
	error = attach_locked(link, (u32)nr_args);
	mutex_unlock(&trampoline_mutex);
	return error;
}

void bpf_trampoline_detach(struct bpf_tramp_link *link)
{
	struct bpf_trampoline *tr = link->trampoline;
	struct bpf_tramp_image *image = NULL;

	mutex_lock(&trampoline_mutex);
	if (tr->nr_links > 1) {
		list_del(&link->node);
		tr->nr_links--;
		/* The program must go. So wait for memory: the image needs little. */
		while (!(image = make_image(tr)))
			msleep(RETRY_MS);
		(void)switch_to(tr, image);
	} else {
		remove_link(tr, link);
	}
	mutex_unlock(&trampoline_mutex);
}
