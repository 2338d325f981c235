/*
 * bpf(2): who may, what a program passes, and which function makes a command.
 *
 * A program passes as much of union bpf_attr as it knows. A shorter one counts as filled with 0. Of
 * a longer one the rest must be 0: a program that asks for what this kernel does not have gets
 * E2BIG and not half of it. In the same way the members behind the last one of a command must be 0.
 *
 * Who has none of CAP_BPF and CAP_SYS_ADMIN makes no object: kernel.unprivileged_bpf_disabled is
 * always 2. What it has a descriptor of it may use.
 */
#include "arch/mm/uaccess.h"
#include "fs/vfs/fs.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/syscalls/syscalls.h"
#include "trace/bpf/syscall/command.h"

DEFINE_LINKER_TABLE(rodata, const struct bpf_command, bpf_commands);

int bpf_check_uarg_tail_zero(const void __user *arg, size_t known, size_t size)
{
	u8 byte;

	if (size > PAGE_SIZE)
		return -E2BIG;
	for (size_t i = known; i < size; i++) {
		if (get_user(byte, (const u8 __user *)arg + i))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	return 0;
}

int bpf_copy_name(char *to, const char *from)
{
	size_t len = strnlen(from, BPF_OBJ_NAME_LEN);

	if (len == BPF_OBJ_NAME_LEN)
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		if (!isalnum(from[i]) && from[i] != '_' && from[i] != '.')
			return -EINVAL;
	memset(to, 0, BPF_OBJ_NAME_LEN);
	memcpy(to, from, len);
	return 0;
}

int bpf_file_flags(u32 flags)
{
	switch (flags & (BPF_F_RDONLY | BPF_F_WRONLY)) {
	case 0:
		return O_RDWR;
	case BPF_F_RDONLY:
		return O_RDONLY;
	case BPF_F_WRONLY:
		return O_WRONLY;
	default:
		return -EINVAL;
	}
}

static const struct bpf_command *find_command(u32 cmd)
{
	for_each_linker_table_entry (command, bpf_commands)
		if (command->cmd == cmd)
			return command;
	return NULL;
}

/* Restricted: no programs and maps of networks, cgroups and LSM; no BPF_PROG_ATTACH. */
SYSCALL_DEFINE3(bpf, int, cmd, union bpf_attr __user *, uattr, unsigned int, size)
{
	const struct bpf_command *command;
	union bpf_attr attr;
	int error;

	if ((cmd == BPF_MAP_CREATE || cmd == BPF_PROG_LOAD) && !bpf_capable())
		return -EPERM;
	error = bpf_check_uarg_tail_zero(uattr, sizeof(attr), size);
	if (error)
		return error;
	memset(&attr, 0, sizeof(attr));
	if (copy_from_user(&attr, uattr, min((size_t)size, sizeof(attr))))
		return -EFAULT;
	command = find_command((u32)cmd);
	if (!command || !bpf_is_zero(&attr, command->attr_end, sizeof(attr)))
		return -EINVAL;
	return command->run(&attr, uattr, size);
}
