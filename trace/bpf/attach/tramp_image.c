/*
 * The code of trampolines, and its end.
 *
 * When the programs of a function change, it gets a new image, and the old one is retired. Tasks
 * may be in it: preempted, or asleep in the function that it has called. They leave in steps:
 *
 *	1. A grace period of RCU-tasks passes. Then a task has left the code, or it is in a call of
 *	   the function, and such calls are counted.
 *	2. If there are some, their return skips the programs from now on: a nop becomes a jmp.
 *	3. A second grace period passes. Nobody runs the programs now, so the image gives them back.
 *	   Nobody is in the code if no call was in progress in step 2: the image is freed.
 *	4. Else a work looks again and again whether all calls have returned. Then comes one more
 *	   grace period, for tasks that are in the last instructions, and the image is freed.
 */
#include "trace/bpf/attach/tramp_image.h"

#include "arch/patch/text_area.h"
#include "arch/patch/text_patch.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/bug.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sched/mutex.h"
#include "kernel/workqueue/workqueue.h"
#include "trace/bpf/core/prog.h"
#include "trace/ftrace/ftrace.h"

#define POLL_NS 200000000ULL

struct bpf_tramp_image {
	struct list_head list;      /* [images_mutex] to write; RCU */
	struct bpf_tramp_code code; /* [C] */
	unsigned long address;      /* [C] */
	atomic_t calls;             /* [A] of the function, in progress; its code counts them */
	u32 nr_progs;
	struct bpf_prog *progs[BPF_TRAMP_MAX_PROGS]; /* counted */
	struct kallsyms_dynamic symbol;
	char name[40];
	bool has_callers;        /* in step 2 */
	struct list_head asleep; /* [asleep_mutex] in step 4 */
	struct rcu_head rcu;
};

static DEFINE_MUTEX(images_mutex);
static LIST_HEAD(images);
static DEFINE_MUTEX(asleep_mutex);
static LIST_HEAD(images_asleep); /* [asleep_mutex] */
static struct delayed_work sleepers_work;

/* ---- a new image ---- */

static void count_programs(struct bpf_tramp_image *image, const struct bpf_tramp_plan *plan)
{
	for (u32 kind = 0; kind < NR_BPF_TRAMP_KINDS; kind++)
		for (u32 i = 0; i < plan->nr[kind]; i++) {
			image->progs[image->nr_progs] = plan->links[kind][i]->prog;
			bpf_prog_get(image->progs[image->nr_progs++]);
		}
}

/* Writes the code for image->code.size bytes. False: no memory. */
static bool write_code(struct bpf_tramp_image *image, const struct bpf_tramp_plan *plan)
{
	u8 *buffer = kmalloc(image->code.size, GFP_KERNEL);
	bool written = false;

	if (buffer) {
		bpf_tramp_write(plan, &image->code, buffer, image->address);
		written = !text_patch_fill(image->address, buffer, image->code.size);
		kfree(buffer);
	}
	return written;
}

/* As Linux: the number of the function's type and of the object that has it. */
static void name_image(struct bpf_tramp_image *image, u32 id)
{
	snprintf(image->name, sizeof(image->name), "bpf_trampoline_%llu",
		 1ULL << 32 | 1ULL << 31 | id);
	image->symbol = (struct kallsyms_dynamic){ .address = image->address,
						   .size = image->code.size,
						   .name = image->name,
						   .module = "bpf" };
	kallsyms_add(&image->symbol);
}

struct bpf_tramp_image *bpf_tramp_image_create(struct bpf_tramp_plan *plan, u32 id)
{
	struct bpf_tramp_image *image = kzalloc(sizeof(*image), GFP_KERNEL);

	if (!image)
		return NULL;
	plan->calls = &image->calls;
	bpf_tramp_write(plan, &image->code, NULL, 0);
	image->address = text_area_alloc(image->code.size);
	if (!image->address)
		goto free;
	if (!write_code(image, plan))
		goto free_text;
	count_programs(image, plan);
	name_image(image, id);
	mutex_lock(&images_mutex);
	list_add_tail_rcu(&image->list, &images);
	mutex_unlock(&images_mutex);
	return image;

free_text:
	text_area_free(image->address, image->code.size);
free:
	kfree(image);
	return NULL;
}

struct ftrace_direct_code bpf_tramp_image_entry(const struct bpf_tramp_image *image)
{
	return (struct ftrace_direct_code){ .alone = image->address + image->code.start[0],
					    .shared = image->address + image->code.start[1] };
}

/* ---- its end ---- */

static void free_memory(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct bpf_tramp_image, rcu));
}

static void free_image(struct bpf_tramp_image *image)
{
	text_area_free(image->address, image->code.size);
	kallsyms_del(&image->symbol);
	mutex_lock(&images_mutex);
	list_del_rcu(&image->list);
	mutex_unlock(&images_mutex);
	call_rcu(&image->rcu, free_memory);
}

static void no_task_left(struct rcu_head *rcu)
{
	free_image(container_of(rcu, struct bpf_tramp_image, rcu));
}

static void look_at_sleepers(struct work_struct *work __unused)
{
	struct bpf_tramp_image *image, *next;

	mutex_lock(&asleep_mutex);
	list_for_each_entry_safe (image, next, &images_asleep, asleep)
		if (!atomic_read(&image->calls)) {
			list_del(&image->asleep);
			call_rcu_tasks(&image->rcu, no_task_left);
		}
	if (!list_empty(&images_asleep))
		schedule_delayed_work(&sleepers_work, POLL_NS);
	mutex_unlock(&asleep_mutex);
}

static void no_program_runs(struct rcu_head *rcu)
{
	struct bpf_tramp_image *image = container_of(rcu, struct bpf_tramp_image, rcu);

	while (image->nr_progs)
		bpf_prog_put(image->progs[--image->nr_progs]);
	if (!image->has_callers) {
		free_image(image);
		return;
	}
	mutex_lock(&asleep_mutex);
	list_add_tail(&image->asleep, &images_asleep);
	schedule_delayed_work(&sleepers_work, POLL_NS);
	mutex_unlock(&asleep_mutex);
}

/* Calls of the function that return from now on run no program. */
static void skip_programs(const struct bpf_tramp_image *image)
{
	struct text_patch patches[2];
	size_t bad;

	for (unsigned i = 0; i < ARRAY_SIZE(patches); i++) {
		patches[i].addr = image->address + image->code.skip[i];
		memcpy(patches[i].old, text_nop5, TEXT_PATCH_SIZE);
		text_encode_jmp(patches[i].new, patches[i].addr,
				image->address + image->code.skip_to[i]);
	}
	WARN_ON(text_patch_apply(patches, ARRAY_SIZE(patches), &bad));
}

static void only_callers_left(struct rcu_head *rcu)
{
	struct bpf_tramp_image *image = container_of(rcu, struct bpf_tramp_image, rcu);

	image->has_callers = atomic_read(&image->calls);
	if (image->has_callers)
		skip_programs(image);
	call_rcu_tasks(&image->rcu, no_program_runs);
}

void bpf_tramp_image_retire(struct bpf_tramp_image *image)
{
	call_rcu_tasks(&image->rcu, only_callers_left);
}

/* ---- stacks ---- */

/* Whether ip is behind the call of a function in an image: no program runs there. Any context. */
static bool is_call_of_function(unsigned long ip)
{
	const struct bpf_tramp_image *image;
	bool found = false;

	preempt_disable_notrace();
	list_for_each_entry_rcu (image, &images, list)
		for (unsigned i = 0; i < ARRAY_SIZE(image->code.called); i++)
			found |= image->code.called[i] &&
				 ip == image->address + image->code.called[i];
	preempt_enable_notrace();
	return found;
}

static int __init tramp_image_init(void)
{
	is_generated_call = is_call_of_function;
	INIT_DELAYED_WORK(&sleepers_work, look_at_sleepers);
	return 0;
}
core_initcall(tramp_image_init);
