/* Extended attributes in memory: see simple_xattr.h. */
#include "fs/xattr/simple_xattr.h"

#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

struct simple_xattr {
	struct simple_xattr *next;
	size_t size;
	char *value; /* in the same allocation, behind the name */
	char name[];
};

/* The pointer to the attribute; *it is NULL if there is none with this name. */
static struct simple_xattr **find(const struct inode *inode, const char *name)
{
	struct simple_xattr **at = (struct simple_xattr **)&inode->i_xattrs;

	while (*at && strcmp((*at)->name, name))
		at = &(*at)->next;
	return at;
}

static struct simple_xattr *make(const char *name, const void *value, size_t size)
{
	size_t name_size = strlen(name) + 1;
	struct simple_xattr *xattr = kmalloc(sizeof(*xattr) + name_size + size, GFP_KERNEL);

	if (!xattr)
		return NULL;
	memcpy(xattr->name, name, name_size);
	xattr->value = xattr->name + name_size;
	memcpy(xattr->value, value, size);
	xattr->size = size;
	return xattr;
}

ssize_t simple_xattr_get(const struct inode *inode, const char *name, void *value, size_t size)
{
	const struct simple_xattr *xattr = *find(inode, name);

	if (!xattr)
		return -ENODATA;
	if (!size)
		return (ssize_t)xattr->size;
	if (size < xattr->size)
		return -ERANGE;
	memcpy(value, xattr->value, xattr->size);
	return (ssize_t)xattr->size;
}

int simple_xattr_set(struct inode *inode, const char *name, const void *value, size_t size,
		     int flags)
{
	struct simple_xattr **at = find(inode, name), *old = *at, *xattr = NULL;

	if (old && (flags & XATTR_CREATE))
		return -EEXIST;
	if (!old && (flags & XATTR_REPLACE))
		return -ENODATA;
	if (value) {
		xattr = make(name, value, size);
		if (!xattr)
			return -ENOMEM;
	}
	if (old) { /* the new one takes its place */
		*at = xattr ? xattr : old->next;
		if (xattr)
			xattr->next = old->next;
		kfree(old);
	} else if (xattr) {
		xattr->next = inode->i_xattrs;
		inode->i_xattrs = xattr;
	}
	return 0;
}

ssize_t simple_xattr_list(const struct inode *inode, char *list, size_t size, bool trusted)
{
	size_t used = 0;

	for (const struct simple_xattr *xattr = inode->i_xattrs; xattr; xattr = xattr->next) {
		size_t length = strlen(xattr->name) + 1;

		if (!trusted && strstarts(xattr->name, "trusted."))
			continue;
		if (size && size - used < length)
			return -ERANGE;
		if (size)
			memcpy(list + used, xattr->name, length);
		used += length;
	}
	return (ssize_t)used;
}

void simple_xattrs_free(struct inode *inode)
{
	struct simple_xattr *xattr = inode->i_xattrs;

	while (xattr) {
		struct simple_xattr *next = xattr->next;

		kfree(xattr);
		xattr = next;
	}
}
