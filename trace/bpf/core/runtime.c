/*
 * What runs a program: the interpreter, or code that the JIT has made of it. The code is in the
 * text area, and each function of a program has a name in kallsyms: bpf_prog_TAG_NAME.
 *
 * A compiled program may load from any address: PROBE_MEM. The handler of exceptions asks for the
 * entry of a load that has faulted in any context, so the list of images is read under RCU.
 */
#include "arch/bpf/jit.h"
#include "arch/patch/text_area.h"
#include "arch/patch/text_patch.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/stack.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/sched.h"
#include "trace/bpf/core/btf.h"
#include "trace/bpf/core/map.h"

/* A function of a program in kallsyms. */
struct bpf_symbol {
	struct kallsyms_dynamic symbol;
	char name[KSYM_NAME_LEN];
};

/* The code of a program. Constant but for the list. */
struct bpf_image {
	struct list_head list; /* [images_mutex] to write; RCU */
	unsigned long address;
	u32 size, nr_extable, nr_symbols;
	struct exception_table_entry *extable; /* in the order of addresses */
	struct bpf_symbol *symbols;
	struct rcu_head rcu;
};

int bpf_jit_enable = 1;
static DEFINE_MUTEX(images_mutex);
static LIST_HEAD(images);

u64 bpf_call_callback(const void *callback, u64 r1, u64 r2, u64 r3, u64 r4, u64 r5)
{
	u64 (*compiled)(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5) = callback;

	return compiled(r1, r2, r3, r4, r5);
}

/*
 * Bytes of the stack that must be left for the program that the tail call leads to, and 4 more that
 * run inside it: up to 1.3 KB each with a helper that prints; 1.2 KB for the helper that takes
 * most; and for an interrupt.
 */
#define TAIL_CALL_STACK 10240U

bool bpf_stack_is_low(void)
{
	unsigned long sp = (unsigned long)__builtin_frame_address(0);
	unsigned long left = sp - (unsigned long)current->stack;

	if (left >= THREAD_SIZE) /* not the task's: that of an NMI or exception, in a slot */
		left = (sp - STACK_GUARD_SIZE) % STACK_SLOT_SIZE;
	return left < TAIL_CALL_STACK;
}

/* ---- faults ---- */

static const struct exception_table_entry *find_in_image(const struct bpf_image *image,
							 unsigned long ip)
{
	u32 low = 0, high = image->nr_extable;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (image->extable[middle].insn < ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low < image->nr_extable && image->extable[low].insn == ip ? &image->extable[low]
									 : NULL;
}

/* The program of the instruction runs now, so its image stays. */
static const struct exception_table_entry *search_images(unsigned long ip)
{
	const struct exception_table_entry *found = NULL;
	const struct bpf_image *image;

	preempt_disable_notrace();
	list_for_each_entry_rcu (image, &images, list)
		if (ip - image->address < image->size) {
			found = find_in_image(image, ip);
			break;
		}
	preempt_enable_notrace();
	return found;
}

static int __init bpf_runtime_init(void)
{
	search_generated_exception_table = search_images;
	return 0;
}
core_initcall(bpf_runtime_init);

/* ---- names ---- */

/* The function's own name, if the program has types. Else all are named as the program. */
static const char *name_of(const struct bpf_prog *prog, u32 subprog)
{
	const struct btf_type *t;

	if (prog->btf && subprog < prog->nr_func_info) {
		t = btf_type_by_id(&prog->btf->btf, prog->func_info[subprog].type_id);
		return btf_name_by_offset(&prog->btf->btf, t->name_off);
	}
	return subprog ? "F" : prog->name;
}

static void name_functions(const struct bpf_prog *prog, struct bpf_image *image)
{
	for (u32 i = 0; i < prog->nr_subprogs; i++) {
		unsigned long start = (unsigned long)prog->subprogs[i].jit,
			      end = i + 1 < prog->nr_subprogs
					    ? (unsigned long)prog->subprogs[i + 1].jit
					    : image->address + image->size;
		struct bpf_symbol *symbol = &image->symbols[i];
		const char *name = name_of(prog, i);

		snprintf(symbol->name, sizeof(symbol->name), "bpf_prog_%*phN%s%s", BPF_TAG_SIZE,
			 prog->tag, *name ? "_" : "", name);
		symbol->symbol = (struct kallsyms_dynamic){
			.address = start, .size = end - start, .name = symbol->name, .module = "bpf"
		};
		kallsyms_add(&symbol->symbol);
	}
}

/* ---- images ---- */

static void free_image(struct bpf_image *image)
{
	kvfree(image->extable);
	kvfree(image->symbols);
	kfree(image);
}

/* The memory of an image for this size of code, which it has an address for. NULL: none. */
static struct bpf_image *alloc_image(const struct bpf_prog *prog, const struct bpf_jit *jit)
{
	struct bpf_image *image = kzalloc(sizeof(*image), GFP_KERNEL);

	if (!image)
		return NULL;
	image->size = jit->size;
	image->nr_extable = jit->nr_extable;
	image->nr_symbols = prog->nr_subprogs;
	image->extable = kvzalloc((image->nr_extable + 1) * sizeof(*image->extable), GFP_KERNEL);
	image->symbols = kvzalloc(image->nr_symbols * sizeof(*image->symbols), GFP_KERNEL);
	image->address = image->extable && image->symbols ? text_area_alloc(image->size) : 0;
	if (image->address)
		return image;
	free_image(image);
	return NULL;
}

/* Writes the code. 0 or an errno. */
static int fill_image(struct bpf_image *image, struct bpf_jit *jit)
{
	u8 *code = kvzalloc(jit->size, GFP_KERNEL);
	int error;

	if (!code)
		return -ENOMEM;
	jit->extable = image->extable;
	bpf_jit_write(jit, code, image->address);
	error = text_patch_fill(image->address, code, jit->size);
	kvfree(code);
	return error;
}

static void publish_image(struct bpf_prog *prog, struct bpf_image *image, const struct bpf_jit *jit)
{
	for (u32 i = 0; i < prog->nr_subprogs; i++)
		prog->subprogs[i].jit = (const void *)(image->address + jit->starts[i]);
	prog->bpf_func = (bpf_func_t *)image->address;
	prog->jited = true;
	prog->jited_len = image->size;
	prog->image = image;
	name_functions(prog, image);
	mutex_lock(&images_mutex);
	list_add_tail_rcu(&image->list, &images);
	mutex_unlock(&images_mutex);
}

/*
 * Notes where each line's code begins; that of the first line of a function with its prologue. None
 * if two lines begin at one address, because an instruction needed no code of its own: libbpf would
 * refuse all lines.
 */
static void note_lines(struct bpf_prog *prog, const struct bpf_image *image,
		       const struct bpf_jit *jit)
{
	const struct bpf_line_info *line = prog->line_info;
	u32 subprog = 0;

	if (prog->nr_line_info)
		prog->jited_lines = kvzalloc(prog->nr_line_info * sizeof(u64), GFP_KERNEL);
	for (u32 i = 0; prog->jited_lines && i < prog->nr_line_info; i++, line++) {
		u32 offset = jit->offsets[line->insn_off];

		while (subprog + 1 < prog->nr_subprogs &&
		       prog->subprogs[subprog + 1].start <= line->insn_off)
			subprog++;
		if (prog->subprogs[subprog].start == line->insn_off)
			offset = jit->starts[subprog];
		prog->jited_lines[i] = image->address + offset;
		if (i && prog->jited_lines[i] <= prog->jited_lines[i - 1]) {
			kvfree(prog->jited_lines);
			prog->jited_lines = NULL;
		}
	}
}

static bool interrupted(void)
{
	cond_resched();
	return fatal_signal_pending(current);
}

/* jit has its tables. 0 or an errno. */
static int compile_with(struct bpf_prog *prog, struct bpf_jit *jit)
{
	struct bpf_image *image;

	if (!bpf_jit_measure(jit))
		return -EINTR;
	image = alloc_image(prog, jit);
	if (!image)
		return -ENOMEM;
	if (fill_image(image, jit)) {
		text_area_free(image->address, image->size);
		free_image(image);
		return -ENOMEM;
	}
	note_lines(prog, image, jit);
	publish_image(prog, image, jit);
	return 0;
}

static int compile(struct bpf_prog *prog)
{
	struct bpf_jit jit = { .prog = prog, .interrupted = interrupted };
	int error = -ENOMEM;

	jit.offsets = kvzalloc((prog->len + 1) * sizeof(u32), GFP_KERNEL);
	jit.starts = kvzalloc((prog->nr_subprogs + 1) * sizeof(u32), GFP_KERNEL);
	jit.flags = kvzalloc(prog->len, GFP_KERNEL);
	if (jit.offsets && jit.starts && jit.flags)
		error = compile_with(prog, &jit);
	kvfree(jit.offsets);
	kvfree(jit.starts);
	kvfree(jit.flags);
	return error;
}

static void free_image_rcu(struct rcu_head *rcu)
{
	free_image(container_of(rcu, struct bpf_image, rcu));
}

void bpf_prog_free_runtime(struct bpf_prog *prog)
{
	struct bpf_image *image = prog->image;

	if (!image)
		return;
	for (u32 i = 0; i < image->nr_symbols; i++)
		kallsyms_del(&image->symbols[i].symbol);
	mutex_lock(&images_mutex);
	list_del_rcu(&image->list);
	mutex_unlock(&images_mutex);
	text_area_free(image->address, image->size);
	call_rcu(&image->rcu, free_image_rcu); /* others may read the lists */
}

/* ---- the choice ---- */

/* Whether only the main function, which has the counter, makes tail calls, or no callback does. */
static bool counts_all_tail_calls(const struct bpf_prog *prog)
{
	bool in_function = false, callbacks = false;

	for (u32 i = 1; i < prog->nr_subprogs; i++) {
		in_function |= prog->subprogs[i].has_tail_call;
		callbacks |= prog->subprogs[i].is_callback;
	}
	return !in_function || !callbacks;
}

/*
 * Each run of the interpreter takes 1 KB of kernel stack. A program with callbacks would have one
 * run in another, as deep as its calls, and the stack is shared with programs that run inside it.
 * Programs share the interpreter's stack with what they tail-call.
 */
static bool can_be_interpreted(const struct bpf_prog *prog)
{
	for (u32 i = 1; i < prog->nr_subprogs; i++)
		if (prog->subprogs[i].is_callback)
			return false;
	return !prog->uses_tail_call || prog->nr_subprogs == 1;
}

/* A program gives its context to those that it tail-calls, so all must be of one kind. */
static int check_prog_arrays(const struct bpf_prog *prog)
{
	for (u32 i = 0; i < prog->nr_used_maps; i++) {
		struct bpf_map *map = prog->used_maps[i];

		if (map->map_type == BPF_MAP_TYPE_PROG_ARRAY &&
		    !bpf_prog_array_compatible(map, prog))
			return -EINVAL;
	}
	return 0;
}

int bpf_prog_select_runtime(struct bpf_prog *prog)
{
	if (!counts_all_tail_calls(prog))
		return -ENOTSUPP;
	if (READ_ONCE(bpf_jit_enable) && !compile(prog))
		return check_prog_arrays(prog);
	if (!can_be_interpreted(prog))
		return -ENOTSUPP;
	prog->bpf_func = bpf_interpret;
	return check_prog_arrays(prog);
}
