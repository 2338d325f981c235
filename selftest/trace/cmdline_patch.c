/* A live patch, as in modules/livepatch-sample.c, that a test enables without a module. */
#include "selftest/trace/cmdline_patch.h"

#include "fs/vfs/seq_file.h"
#include "trace/livepatch/livepatch.h"

static int cmdline_patch_show(struct seq_file *m, void *v __unused)
{
	seq_puts(m, "patched\n");
	return 0;
}

static struct klp_func funcs[] = {
	{ .old_name = "cmdline_proc_show", .new_func = cmdline_patch_show },
	{},
};

struct klp_patch cmdline_patch = { .name = "cmdline_patch",
				   .objs = (struct klp_object[]){ { .funcs = funcs }, {} } };
