/*
 * Files of /proc/sys that say what programs may do. Users without CAP_BPF load nothing, and nothing
 * changes that: unprivileged_bpf_disabled can only be set to 1, which says so for ever. Constants
 * of programs are not blinded, since all who load programs may see the kernel's memory.
 */
#include "fs/proc/proc_fs.h"
#include "kernel/errno.h"
#include "trace/bpf/core/prog.h"
#include "trace/bpf/syscall/command.h"

static int unprivileged_disabled = 2;

static int unprivileged_handler(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int value = unprivileged_disabled, error;
	struct ctl_table local = *table;

	if (write && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	local.data = &value;
	error = proc_dointvec_positive(&local, write, buf, size);
	if (error || !write)
		return error;
	if (!value)
		return -EINVAL;
	if (unprivileged_disabled == 1 && value != 1)
		return -EPERM;
	WRITE_ONCE(unprivileged_disabled, value);
	return 0;
}
SYSCTL(bpf_unprivileged, "kernel", "unprivileged_bpf_disabled", 0644, unprivileged_handler,
       .maxlen = sizeof(int), .most = 2);

/* The files of net/core: as on Linux only for a task with CAP_SYS_ADMIN. */
static int jit_handler(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return proc_dointvec_positive(table, write, buf, size);
}
SYSCTL(bpf_jit_enable, "net/core", "bpf_jit_enable", 0644, jit_handler, .data = &bpf_jit_enable,
       .maxlen = sizeof(int), .most = 1);

/*
 * What nobody can change: constants are not blinded, the names of all programs are in kallsyms, and
 * users without CAP_BPF have no code that a limit could count.
 */
static int jit_harden, jit_kallsyms = 1, jit_limit;
static int fixed_handler(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int value = *(const int *)table->data, fixed = value, error;
	struct ctl_table local = { .data = &value, .maxlen = sizeof(value) };

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	error = proc_dointvec(&local, write, buf, size);
	return !error && value != fixed ? -EINVAL : error;
}
SYSCTL(bpf_jit_harden, "net/core", "bpf_jit_harden", 0600, fixed_handler, .data = &jit_harden,
       .maxlen = sizeof(int));
SYSCTL(bpf_jit_kallsyms, "net/core", "bpf_jit_kallsyms", 0600, fixed_handler, .data = &jit_kallsyms,
       .maxlen = sizeof(int));
SYSCTL(bpf_jit_limit, "net/core", "bpf_jit_limit", 0600, fixed_handler, .data = &jit_limit,
       .maxlen = sizeof(int));
