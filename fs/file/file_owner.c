/* Owners of files: a set of files can be removed only while none of them is open. */
#include "fs/file/file_owner.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/module_list.h"

#define OWNER_GONE (-1)

void file_owner_init(struct file_owner *owner, struct file_owner *parent,
		     void (*release)(struct file_owner *owner))
{
	WARN_ON(parent && !atomic_read(&parent->refs)); /* not initialised, or freed */
	atomic_set(&owner->refs, 1);
	atomic_set(&owner->opens, 0);
	owner->parent = file_owner_get(parent);
	owner->module = NULL;
	owner->release = release;
}

struct file_owner *file_owner_get(struct file_owner *owner)
{
	if (owner)
		atomic_inc(&owner->refs);
	return owner;
}

void file_owner_put(struct file_owner *owner)
{
	struct file_owner *parent;

	while (owner && atomic_dec_and_test(&owner->refs)) {
		parent = owner->parent;
		owner->release(owner);
		owner = parent;
	}
}

static bool count_open(struct file_owner *owner)
{
	int opens = atomic_read(&owner->opens), found;

	while (opens != OWNER_GONE) {
		found = atomic_cmpxchg(&owner->opens, opens, opens + 1);
		if (found == opens)
			return true;
		opens = found;
	}
	return false;
}

bool file_owner_open(struct file_owner *owner)
{
	struct file_owner *counted = owner;
	struct module *module = READ_ONCE(owner->module);

	if (!try_module_get(module))
		return false;
	while (owner && count_open(owner))
		owner = owner->parent;
	for (; owner && counted != owner; counted = counted->parent)
		atomic_dec(&counted->opens);
	if (owner)
		module_put(module);
	return !owner;
}

void file_owner_close(struct file_owner *owner)
{
	module_put(owner->module);
	for (; owner; owner = owner->parent)
		atomic_dec(&owner->opens);
}

int file_owner_kill(struct file_owner *owner)
{
	return atomic_cmpxchg(&owner->opens, 0, OWNER_GONE) == 0 ? 0 : -EBUSY;
}

void file_owner_revive(struct file_owner *owner)
{
	atomic_set(&owner->opens, 0);
}
