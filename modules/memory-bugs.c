/*
 * Mistakes with memory, to see what the checks of the kernel say about them (docs/memory-checks.md).
 *
 *	insmod memory-bugs.ko bug=leak		forgets two objects
 *	insmod memory-bugs.ko bug=overflow	writes behind the end of an object
 *	insmod memory-bugs.ko bug=use-after-free
 *	insmod memory-bugs.ko bug=double-free
 *
 * All but the first are for a kernel with DEBUG=1: another one is damaged by them.
 */
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module/moduleparam.h"

static char *bug = "leak";
module_param(bug, charp, 0444);
MODULE_PARM_DESC(bug, "leak, overflow, use-after-free or double-free");

struct letter {
	struct letter *next;
	char text[56];
};

/* The list is given up without its two letters. */
static noinline int leak(void)
{
	struct letter *first = kzalloc(sizeof(*first), GFP_KERNEL);

	if (!first)
		return -ENOMEM;
	strscpy(first->text, "nobody will read this", sizeof(first->text));
	first->next = kzalloc(sizeof(*first), GFP_KERNEL);
	return 0;
}

/* hide_pointer(): the compiler sees the mistakes, too, and may refuse them. */
static noinline void overflow(struct letter *letter)
{
	((char *)hide_pointer(letter))[sizeof(*letter)] = '!';
	kfree(letter);
}

static noinline void use_after_free(struct letter *letter)
{
	struct letter *old = hide_pointer(letter);

	kfree(letter);
	old->text[0] = '!';
	/* A debug kernel looks at a freed object when others were freed. */
	for (unsigned i = 0; i < 64; i++)
		kfree(kzalloc(sizeof(*letter), GFP_KERNEL));
}

static noinline void double_free(struct letter *letter)
{
	struct letter *old = hide_pointer(letter);

	kfree(letter);
	kfree(old);
}

static int __init memory_bugs_init(void)
{
	struct letter *letter;

	if (!strcmp(bug, "leak"))
		return leak();
	letter = kzalloc(sizeof(*letter), GFP_KERNEL);
	if (!letter)
		return -ENOMEM;
	if (!strcmp(bug, "overflow"))
		overflow(letter);
	else if (!strcmp(bug, "use-after-free"))
		use_after_free(letter);
	else if (!strcmp(bug, "double-free"))
		double_free(letter);
	else
		kfree(letter);
	return 0;
}
module_init(memory_bugs_init);

static void __exit memory_bugs_exit(void)
{
}
module_exit(memory_bugs_exit);

MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("mistakes with memory");
