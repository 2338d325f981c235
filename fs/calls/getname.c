/* File names of programs. See getname.h. */
#include "fs/calls/getname.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"

static struct kmem_cache *names_cachep;

struct filename *getname_flags(const char __user *name, int at_flags)
{
	struct filename *copy = kmem_cache_alloc(names_cachep, GFP_KERNEL);
	long len;

	if (!copy)
		return ERR_PTR(-ENOMEM);
	copy->name = copy->text;
	len = strncpy_from_user(copy->text, name, PATH_MAX);
	if (likely(len > 0 && len < PATH_MAX))
		return copy;
	if (len == 0 && (at_flags & AT_EMPTY_PATH))
		return copy;
	kmem_cache_free(names_cachep, copy);
	if (len < 0)
		return ERR_PTR(len);
	return ERR_PTR(len ? -ENAMETOOLONG : -ENOENT);
}

struct filename *getname(const char __user *name)
{
	return getname_flags(name, 0);
}

void putname(struct filename *name)
{
	if (!IS_ERR(name))
		kmem_cache_free(names_cachep, name);
}

int user_path_at(int dfd, const char __user *name, int at_flags, unsigned lookup, struct path *path)
{
	struct filename *copy = getname_flags(name, at_flags);
	int err;

	if (IS_ERR(copy))
		return (int)PTR_ERR(copy);
	if (at_flags & AT_EMPTY_PATH)
		lookup |= LOOKUP_EMPTY;
	err = kern_path_at(dfd, copy->name, lookup, path);
	putname(copy);
	return err;
}

static int names_init(void)
{
	names_cachep = kmem_cache_create("names_cache", sizeof(struct filename) + PATH_MAX, 64);
	return names_cachep ? 0 : -ENOMEM;
}
core_initcall(names_init);
