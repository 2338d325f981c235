/*
 * The types of modules as objects. A module's object has an id while the module is loaded; programs
 * and descriptors may keep it longer. The types continue those of the kernel, and are read when the
 * first program asks for them, as those are.
 *
 * Legend: [M] modules_mutex.
 */
#include "kernel/btf/btf.h"
#include "kernel/btf/vmlinux.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "kernel/sched/mutex.h"
#include "kernel/task/cred.h"
#include "trace/bpf/syscall/objects.h"

static DEFINE_MUTEX(modules_mutex);
static LIST_HEAD(module_btfs); /* [M] of modules that are loaded */

/* M held. */
static struct bpf_btf *find(const struct module *module)
{
	struct bpf_btf *btf;

	list_for_each_entry (btf, &module_btfs, list)
		if (btf->module == module)
			return btf;
	return NULL;
}

/* An object without an id; NULL: no memory. */
static struct bpf_btf *make(struct module *module)
{
	struct bpf_btf *btf = kzalloc(sizeof(*btf), GFP_KERNEL);

	if (!btf)
		return NULL;
	btf->module_data = btf_module_data_get(module);
	if (!btf->module_data) {
		kfree(btf);
		return NULL;
	}
	btf->data = btf->module_data->bytes;
	btf->size = (u32)btf->module_data->size;
	btf->of_kernel = true;
	strscpy(btf->module_name, module->name, sizeof(btf->module_name));
	btf->name = btf->module_name;
	btf->module = module;
	btf->payer = get_current_user();
	atomic_set(&btf->refs, 1);
	return btf;
}

static int module_coming(struct module *module)
{
	struct bpf_btf *btf;
	int error;

	if (!btf_module_has_types(module))
		return 0;
	btf = make(module);
	if (!btf)
		return -ENOMEM;
	error = bpf_id_add(&bpf_btf_ids, btf, &btf->id);
	if (error) {
		bpf_btf_put(btf);
		return error;
	}
	mutex_lock(&modules_mutex);
	list_add(&btf->list, &module_btfs);
	mutex_unlock(&modules_mutex);
	return 0;
}

static void module_going(struct module *module)
{
	struct bpf_btf *btf;

	mutex_lock(&modules_mutex);
	btf = find(module);
	if (btf) {
		list_del(&btf->list);
		btf->module = NULL;
	}
	mutex_unlock(&modules_mutex);
	if (btf)
		bpf_btf_put(btf);
}

MODULE_NOTIFIER(MODULE_CHAIN_OTHERS) = {
	.coming = module_coming,
	.going = module_going,
};

const struct btf *bpf_btf_types(struct bpf_btf *btf)
{
	bool good;

	btf_vmlinux_load();
	if (btf == bpf_btf_of_kernel())
		return btf_vmlinux();
	if (!btf->of_kernel)
		return &btf->btf;
	mutex_lock(&modules_mutex);
	good = btf->btf.nr_types ||
	       (btf_vmlinux() && !btf_parse_split(&btf->btf, btf_vmlinux(), btf->data, btf->size));
	mutex_unlock(&modules_mutex);
	return good ? &btf->btf : NULL;
}

bool bpf_btf_get_module(const struct bpf_btf *btf, struct module **module)
{
	bool there;

	*module = NULL;
	if (!btf->module_name[0])
		return true;
	mutex_lock(&modules_mutex);
	there = btf->module && READ_ONCE(btf->module->state) == MODULE_STATE_LIVE &&
		try_module_get(btf->module);
	if (there)
		*module = btf->module;
	mutex_unlock(&modules_mutex);
	return there;
}

struct bpf_btf *bpf_btf_of_module(const struct module *module)
{
	struct bpf_btf *btf;

	mutex_lock(&modules_mutex);
	btf = find(module);
	if (btf)
		bpf_btf_get(btf);
	mutex_unlock(&modules_mutex);
	return btf;
}
