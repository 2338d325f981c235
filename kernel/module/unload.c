/* delete_module(2). docs/architecture.md, "Modules", has the order of the steps. */
#include "arch/mm/uaccess.h"
#include "kernel/errno.h"
#include "kernel/module/internal.h"
#include "kernel/printk/printk.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"
#include "kernel/sched/mutex.h"
#include "kernel/syscalls/syscalls.h"

#define O_TRUNC_FORCE 01000 /* O_TRUNC: remove it although it has no exit */

/* Takes the module's own reference. False: others are left, and nothing has changed. */
static bool drop_last_reference(struct module *mod)
{
	return atomic_cmpxchg(&mod->refcnt, 1, 0) == 1;
}

/* Marks the module as GOING. M. */
static int try_stop_module(const char *name, unsigned flags, struct module **result)
{
	struct module *mod = find_module(name);

	if (!mod)
		return -ENOENT;
	if (!list_empty(&mod->users))
		return -EAGAIN; /* EWOULDBLOCK */
	if (mod->state != MODULE_STATE_LIVE) {
		pr_debug("%s already dying\n", mod->name);
		return -EBUSY;
	}
	/* A module with init and without exit stays, unless it is forced. (init itself is NULL
	 * now.) */
	if (mod->has_init && !mod->exit && !(flags & O_TRUNC_FORCE))
		return -EBUSY;
	if (!drop_last_reference(mod))
		return -EAGAIN; /* EWOULDBLOCK */
	WRITE_ONCE(mod->state, MODULE_STATE_GOING);
	*result = mod;
	return 0;
}

SYSCALL_DEFINE2(delete_module, const char *, name_user, unsigned int, flags)
{
	char name[MODULE_NAME_LEN];
	struct module *mod;
	long length;
	int error;

	if (!capable(CAP_SYS_MODULE))
		return -EPERM;
	length = strncpy_from_user(name, name_user, MODULE_NAME_LEN - 1);
	if (length < 0)
		return length;
	name[MODULE_NAME_LEN - 1] = '\0';
	if (mutex_lock_interruptible(&module_mutex))
		return -EINTR;
	error = try_stop_module(name, flags, &mod);
	mutex_unlock(&module_mutex);
	if (error)
		return error;
	if (mod->exit)
		mod->exit();
	mutex_lock(&module_mutex);
	module_note_unloaded(mod);
	mutex_unlock(&module_mutex);
	free_module(mod);
	return 0;
}
