/* The core file grows. */
#include "fs/coredump/internal.h"

#include "kernel/sched/sched.h"

bool core_emit(struct coredump *core, const void *data, size_t size)
{
	if (fatal_signal_pending(current) || core->written + size > core->limit)
		return false;
	if (kernel_write(core->file, data, size, &core->pos) != (ssize_t)size)
		return false;
	core->written += size;
	return true;
}

void core_seek(struct coredump *core, loff_t pos)
{
	core->pos = pos;
}

void core_end(struct coredump *core)
{
	if (core->pos <= core->file->f_inode->i_size)
		return;
	core->pos--;
	(void)core_emit(core, "", 1);
}
