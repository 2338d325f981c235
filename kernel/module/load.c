/*
 * Loading a module, in the order of load_module() at the end. Each step that fails is undone by the
 * label that follows its own. The file is a copy in the kernel, which the steps change.
 */
#include "kernel/module/load.h"

#include "arch/patch/text_patch.h"
#include "arch/mm/uaccess.h"
#include "kernel/errno.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/module/internal.h"
#include "kernel/module/module_events.h"
#include "kernel/module/moduleparam.h"
#include "kernel/module/vermagic.h"
#include "kernel/printk/printk.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sched/mutex.h"
#include "kernel/syscalls/syscalls.h"

#define MAX_ARGS PAGE_SIZE

int may_init_module(void)
{
	return capable(CAP_SYS_MODULE) ? 0 : -EPERM;
}

/* ---- what the file says of itself ---- */

static bool license_is_gpl_compatible(const char *license)
{
	static const char *const licenses[] = {
		"GPL",          "GPL v2",       "GPL and additional rights",
		"Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL"
	};

	return license && match_string(licenses, ARRAY_SIZE(licenses), license) >= 0;
}

static int check_modinfo(const struct load_info *info, int flags)
{
	const char *magic = get_modinfo(info, "vermagic");

	if (flags & MODULE_INIT_IGNORE_VERMAGIC)
		return 0;
	if (!magic || strcmp(magic, VERMAGIC_STRING) != 0) {
		pr_err("%s: version magic '%s' should be '%s'\n", info->name, magic ? magic : "",
		       VERMAGIC_STRING);
		return -ENOEXEC;
	}
	return 0;
}

/* Notes the taint. True if it is the first of its kind since the boot: that is reported. */
static bool add_taint(struct module *mod, unsigned taint)
{
	static unsigned long taints; /* [A] */

	mod->taints |= BIT(taint);
	return !test_and_set_bit(taint, &taints);
}

static void set_taints(struct module *mod, const struct load_info *info)
{
	const char *license = get_modinfo(info, "license");

	if (!get_modinfo(info, "intree") && add_taint(mod, TAINT_OOT_MODULE))
		pr_warn("%s: loading out-of-tree module taints kernel.\n", mod->name);
	if (!license_is_gpl_compatible(license) && add_taint(mod, TAINT_PROPRIETARY_MODULE))
		pr_warn("%s: module license '%s' taints kernel.\n", mod->name,
			license ? license : "unspecified");
	mod->livepatch = get_modinfo(info, "livepatch");
}

/* ---- memory ---- */

static void free_regions(struct module_memory memory[MOD_REGIONS], unsigned first)
{
	for (unsigned region = first; region < MOD_REGIONS; region++)
		module_memory_free(&memory[region]);
}

/* Allocates the regions, and copies the sections into them. 0 or -ENOMEM. */
static int move_module(struct module_memory memory[MOD_REGIONS], struct load_info *info)
{
	for (unsigned region = 0; region < MOD_REGIONS; region++) {
		if (!info->region_size[region])
			continue;
		memory[region].base = module_memory_alloc(info->region_size[region]);
		if (!memory[region].base) {
			free_regions(memory, 0);
			return -ENOMEM;
		}
		memory[region].size = info->region_size[region];
		info->base[region] = memory[region].base;
		info->image[region] = (u8 *)memory[region].base;
	}
	copy_sections(info);
	return 0;
}

/*
 * Gives the per-CPU variables addresses. Their first values are in a buffer until all relocations
 * are done. 0 or -ENOMEM; load_module() frees the buffer.
 */
static int place_percpu(struct module_memory *percpu, struct load_info *info)
{
	size_t size = info->region_size[MOD_PERCPU];

	if (!size)
		return 0;
	info->image[MOD_PERCPU] = kzalloc(size, GFP_KERNEL);
	if (!info->image[MOD_PERCPU])
		return -ENOMEM;
	percpu->base = module_percpu_alloc(size);
	if (!percpu->base) {
		pr_warn("%s: Could not allocate %lu bytes percpu data\n", info->name, size);
		return -ENOMEM;
	}
	percpu->size = size;
	info->base[MOD_PERCPU] = percpu->base;
	return 0;
}

/* ---- the list ---- */

static struct module *find_any(const char *name)
{
	struct module *mod;

	list_for_each_entry (mod, &modules, list)
		if (strcmp(mod->name, name) == 0)
			return mod;
	return NULL;
}

static bool is_settled(const char *name)
{
	const struct module *mod;
	bool settled;

	mutex_lock(&module_mutex);
	mod = find_any(name);
	settled = !mod || mod->state == MODULE_STATE_LIVE;
	mutex_unlock(&module_mutex);
	return settled;
}

/*
 * Takes the name. If a module of that name is being loaded or is going, waits for the outcome. 0,
 * -EEXIST, or an error of the wait.
 */
static int add_unformed_module(struct module *mod)
{
	for (;;) {
		struct module *other;
		int error;

		mutex_lock(&module_mutex);
		other = find_any(mod->name);
		if (!other) {
			mod->state = MODULE_STATE_UNFORMED;
			list_add_rcu(&mod->list, &modules);
			mutex_unlock(&module_mutex);
			return 0;
		}
		error = other->state == MODULE_STATE_LIVE ? -EEXIST : 0;
		mutex_unlock(&module_mutex);
		if (!error)
			error = wait_event_interruptible(module_wq, is_settled(mod->name));
		if (error)
			return error;
	}
}

static void remove_from_list(struct module *mod)
{
	mutex_lock(&module_mutex);
	list_del_rcu(&mod->list);
	module_unload_uses(mod);
	mutex_unlock(&module_mutex);
	wake_up_all(&module_wq);
}

/* ---- tables in sections ---- */

static void find_tables(struct module *mod, const struct load_info *info)
{
	unsigned bytes;

	mod->syms = section_objects(info, "__ksymtab", sizeof(*mod->syms), &mod->num_syms);
	mod->params = section_objects(info, "__param", sizeof(*mod->params), &mod->num_params);
	mod->extable =
		section_objects(info, "__ex_table", 2 * sizeof(unsigned long), &mod->num_extable);
	mod->call_sites = section_objects(info, "__mcount_loc", sizeof(*mod->call_sites),
					  &mod->num_call_sites);
	mod->jump_entries = section_objects(info, "__jump_table", sizeof(struct jump_entry),
					    &mod->num_jump_entries);
	mod->trace_events = section_objects(info, "_ftrace_events", 1, &bytes);
	mod->trace_events_size = bytes;
	mod->has_init = mod->init;
	mod->traceiter_text = (unsigned long)section_objects(info, ".traceiter.text", 1, &bytes);
	mod->traceiter_size = bytes;
	mod->trace_printk_formats = section_objects(info, "__trace_printk_fmt", sizeof(char *),
						    &mod->num_trace_printk_formats);
	mod->btf = section_objects(info, ".BTF", 1, &mod->btf_size);
	mod->btf_id = section_objects(info, ".BTF_id", 1, &mod->btf_id_size);
}

static int note_sections(struct module *mod, const struct load_info *info)
{
	unsigned count = 0;

	mod->sections = kcalloc(info->hdr->shnum, sizeof(*mod->sections), GFP_KERNEL);
	if (!mod->sections)
		return -ENOMEM;
	for (unsigned i = 1; i < info->hdr->shnum; i++) {
		if (info->region[i] == LOAD_REGIONS || !info->sechdrs[i].size)
			continue;
		mod->sections[count].name = kstrdup(section_name(info, i), GFP_KERNEL);
		if (!mod->sections[count].name)
			return -ENOMEM;
		if (info->sechdrs[i].type == SHT_NOTE)
			mod->sections[count].note_size = info->sechdrs[i].size;
		mod->sections[count++].address = info->sechdrs[i].addr;
		mod->num_sections = count;
	}
	return 0;
}

static void free_sections(struct module *mod)
{
	for (unsigned i = 0; i < mod->num_sections; i++)
		kfree(mod->sections[i].name);
	kfree(mod->sections);
}

/* ---- call sites ---- */

static int compare_sites(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

static bool is_call_site(const struct module *mod, unsigned long site, unsigned long fentry)
{
	u8 call[TEXT_PATCH_SIZE];

	if ((!within_module_region(mod, MOD_TEXT, site) ||
	     !within_module_region(mod, MOD_TEXT, site + TEXT_PATCH_SIZE - 1)) &&
	    (!within_module_region(mod, MOD_INIT_TEXT, site) ||
	     !within_module_region(mod, MOD_INIT_TEXT, site + TEXT_PATCH_SIZE - 1)))
		return false;
	text_encode_call(call, site, fentry);
	return fentry && !memcmp((void *)site, call, TEXT_PATCH_SIZE);
}

/*
 * Makes nops of the calls of __fentry__. No CPU can execute the text yet, and it is still writable.
 * The list is in a region of init, which is writable, too. A kernel without ftrace has no
 * __fentry__, so no module that calls it comes here.
 */
static int nop_call_sites(struct module *mod)
{
	unsigned long fentry = kernel_symbol_value("__fentry__");
	unsigned long *sites = (unsigned long *)mod->call_sites;
	bool sorted = true;

	for (unsigned i = 0; i < mod->num_call_sites; i++) {
		if (!is_call_site(mod, sites[i], fentry)) {
			pr_err("%s: %lx does not call __fentry__\n", mod->name, sites[i]);
			return -ENOEXEC;
		}
		memcpy((void *)sites[i], text_nop5, TEXT_PATCH_SIZE);
		sorted = sorted && (!i || sites[i - 1] < sites[i]);
	}
	if (!sorted)
		sort(sites, mod->num_call_sites, sizeof(*sites), compare_sites);
	return 0;
}

/* ---- the steps ---- */

/* Copies the text of the parameters. 0 or a negative errno. */
static int copy_args(struct module *mod, const char __user *uargs)
{
	char *args = kmalloc(MAX_ARGS, GFP_KERNEL);
	long length;

	if (!args)
		return -ENOMEM;
	length = strncpy_from_user(args, uargs, MAX_ARGS);
	if (length < 0 || length >= (long)MAX_ARGS) {
		kfree(args);
		return length < 0 ? (int)length : -E2BIG;
	}
	mod->args = args;
	return 0;
}

/* Gives symbols and relocations their values. */
static int link_module(struct module *mod, const struct load_info *info, int flags)
{
	int error;

	mutex_lock(&module_mutex);
	error = simplify_symbols(mod, info, flags & MODULE_INIT_IGNORE_MODVERSIONS,
				 !(mod->taints & BIT(TAINT_PROPRIETARY_MODULE)));
	mutex_unlock(&module_mutex);
	if (!error)
		error = apply_relocations(info);
	if (!error) {
		module_percpu_set(&mod->percpu, info->image[MOD_PERCPU]);
		find_tables(mod, info);
		error = nop_call_sites(mod);
	}
	if (!error)
		error = note_sections(mod, info);
	return error ? error : module_make_symbols(mod, info);
}

/* From here on others see the module. */
static int complete_formation(struct module *mod)
{
	int error;

	mutex_lock(&module_mutex);
	error = verify_exported_symbols(mod);
	if (!error)
		error = module_memory_protect(mod);
	if (!error)
		WRITE_ONCE(mod->state, MODULE_STATE_COMING);
	mutex_unlock(&module_mutex);
	if (!error) {
		kallsyms_add_table(mod->symbols);
		kallsyms_add_table(mod->init_symbols);
	}
	return error;
}

/* init has returned: nothing uses its regions any more but readers of symbols. */
static void free_init(struct module *mod)
{
	struct module_memory memory[MOD_REGIONS];
	struct kallsyms_table *symbols = mod->init_symbols;

	if (mod->keep_init_symbols) {
		WRITE_ONCE(symbols->gone, true);
	} else {
		kallsyms_del_table(symbols);
		mod->init_symbols = NULL;
	}
	memcpy(memory, mod->memory, sizeof(memory));
	mod->init = NULL;
	mod->call_sites = NULL;
	mod->num_call_sites = 0;
	mod->btf = mod->btf_id = NULL;
	for (unsigned region = MOD_INIT_TEXT; region < MOD_REGIONS; region++)
		WRITE_ONCE(mod->memory[region].size, 0);
	synchronize_rcu();
	free_regions(memory, MOD_INIT_TEXT);
	for (unsigned region = MOD_INIT_TEXT; region < MOD_REGIONS; region++)
		mod->memory[region].base = 0;
	if (!mod->keep_init_symbols)
		kvfree(symbols);
}

static int run_init(struct module *mod)
{
	int error;

	trace_module_load(mod);
	error = mod->init ? mod->init() : 0;
	if (error < 0)
		return error;
	if (error > 0)
		pr_warn("%s: '%s'->init suspiciously returned %d, it should follow 0/-E "
			"convention\n"
			"%s: loading module anyway...\n",
			__func__, mod->name, error, __func__);
	mutex_lock(&module_mutex);
	WRITE_ONCE(mod->state, MODULE_STATE_LIVE);
	mutex_unlock(&module_mutex);
	module_notify_live(mod);
	free_init(mod);
	module_put(mod); /* that of the load */
	wake_up_all(&module_wq);
	return 0;
}

/* Frees a module that nobody has seen, or that has left the list and the chain. */
static void free_parts(struct module *mod)
{
	struct module_memory memory[MOD_REGIONS];

	kvfree(mod->symbols);
	kvfree(mod->init_symbols);
	free_sections(mod);
	kfree(mod->args);
	module_percpu_free(&mod->percpu);
	memcpy(memory, mod->memory, sizeof(memory)); /* mod is in one of the regions */
	free_regions(memory, 0);
}

void free_module(struct module *mod)
{
	trace_module_free(mod);
	module_notify_going(mod);
	kallsyms_del_table(mod->symbols);
	if (mod->init_symbols)
		kallsyms_del_table(mod->init_symbols);
	destroy_params(mod->params, mod->num_params);
	remove_from_list(mod);
	/*
	 * A task may have been preempted in a function of the module, or in a trampoline that was
	 * called by one. This includes a grace period of RCU, for readers of the list and of
	 * symbols.
	 */
	synchronize_rcu_tasks();
	free_parts(mod);
}

/* The module is COMING. On an error it is gone. */
static int start_module(struct module *mod)
{
	int error = module_notify_coming(mod);

	if (error) {
		kallsyms_del_table(mod->symbols);
		kallsyms_del_table(mod->init_symbols);
		remove_from_list(mod);
		synchronize_rcu_tasks();
		free_parts(mod);
		return error;
	}
	error = parse_args(mod->name, mod->args, mod->params, mod->num_params);
	if (!error)
		error = run_init(mod);
	if (error) {
		mutex_lock(&module_mutex);
		WRITE_ONCE(mod->state, MODULE_STATE_GOING);
		mutex_unlock(&module_mutex);
		atomic_set(&mod->refcnt, 0);
		free_module(mod);
	}
	return error;
}

/* Checks the file, and makes the module of it, still UNFORMED. */
static int form_module(struct load_info *info, const char __user *uargs, int flags,
		       struct module **result)
{
	struct module_memory memory[MOD_REGIONS] = { { 0, 0 } }, percpu = { 0, 0 };
	struct module *mod;
	int error = check_modinfo(info, flags);

	if (!error)
		error = check_module_layout(info, flags & MODULE_INIT_IGNORE_MODVERSIONS);
	if (!error)
		error = layout_sections(info);
	if (!error)
		error = place_percpu(&percpu, info);
	if (!error)
		error = move_module(memory, info);
	if (error) {
		module_percpu_free(&percpu);
		return error;
	}

	mod = (struct module *)info->sechdrs[info->index.mod].addr;
	memset(mod, 0, sizeof(*mod));
	strscpy(mod->name, info->name, sizeof(mod->name));
	memcpy(mod->memory, memory, sizeof(memory));
	mod->percpu = percpu;
	INIT_LIST_HEAD(&mod->users);
	INIT_LIST_HEAD(&mod->uses);
	atomic_set(&mod->refcnt, 2); /* its own, and one of the load */
	error = add_unformed_module(mod);
	if (error) {
		free_parts(mod);
		return error;
	}
	set_taints(mod, info);
	error = link_module(mod, info, flags);
	if (!error)
		error = copy_args(mod, uargs);
	if (!error)
		error = complete_formation(mod);
	if (error) {
		remove_from_list(mod);
		synchronize_rcu();
		free_parts(mod);
		return error;
	}
	*result = mod;
	return 0;
}

int load_module(void *file, size_t len, const char __user *uargs, int flags)
{
	struct load_info info = { .hdr = file, .len = len };
	struct module *mod;
	int error = elf_validate(&info);

	if (!error) {
		info.region = kzalloc(info.hdr->shnum, GFP_KERNEL);
		error = info.region ? form_module(&info, uargs, flags, &mod) : -ENOMEM;
		kfree(info.image[MOD_PERCPU]);
		kfree(info.region);
	}
	vfree(file);
	return error ? error : start_module(mod);
}

SYSCALL_DEFINE3(init_module, void *, umod, unsigned long, len, const char *, uargs)
{
	int error = may_init_module();
	void *file;

	if (error)
		return error;
	if (len < sizeof(struct elf_header))
		return -ENOEXEC;
	file = len <= 0x7fffffff ? vmalloc(len) : NULL;
	if (!file)
		return -ENOMEM;
	if (copy_from_user(file, umod, len)) {
		vfree(file);
		return -EFAULT;
	}
	return load_module(file, len, uargs, 0);
}
