/*
 * The commands of bpf(2): a linker table, so that a command is in the file of its subject. bpf.c
 * copies attr, checks rights and that the bytes behind the command's last field are 0, and calls
 * it. Also what commands have in common: rights, names, ids, the user's log.
 */
#pragma once

#include "kernel/lib/rbtree.h"
#include "kernel/linker_table.h"
#include "kernel/locking/spinlock.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"
#include "trace/bpf/core/abi.h"

struct bpf_command {
	u32 cmd;      /* enum bpf_cmd */
	u32 attr_end; /* bytes of attr that the command knows: all behind them must be 0: -EINVAL */
	/* attr is a copy, and filled with 0; uattr has size bytes. A result >= 0, or an errno. */
	long (*run)(const union bpf_attr *attr, union bpf_attr __user *uattr, u32 size);
};
/* BPF_COMMAND(link_create) = { BPF_LINK_CREATE, BPF_ATTR_END(link_create.flags), link_create } */
#define BPF_COMMAND(name) LINKER_TABLE_ENTRY(rodata, bpf_commands, #name)
/* The end of the last field of attr that a command knows. */
#define BPF_ATTR_END(field) (offsetof(union bpf_attr, field) + sizeof(((union bpf_attr *)0)->field))

/* Whether the current task may load programs and make maps. */
static inline bool bpf_capable(void)
{
	return capable(CAP_BPF) || capable(CAP_SYS_ADMIN);
}
/* Whether it may see addresses of the kernel, and read its memory. */
static inline bool bpf_perfmon_capable(void)
{
	return capable(CAP_PERFMON) || capable(CAP_SYS_ADMIN);
}

/* Whether the bytes from `from` up to `to` are 0. */
static inline bool bpf_is_zero(const void *bytes, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (((const u8 *)bytes)[i])
			return false;
	return true;
}
/* 0; -E2BIG: size is above a page, or a byte from known on is not 0; -EFAULT. Task context. */
int bpf_check_uarg_tail_zero(const void __user *arg, size_t known, size_t size);
/*
 * Copies a name, which must end within its BPF_OBJ_NAME_LEN bytes and have only letters, digits, _
 * and dots. 0 or -EINVAL.
 */
int bpf_copy_name(char *to, const char *from);
/* O_RDONLY, O_WRONLY or O_RDWR for BPF_F_RDONLY and BPF_F_WRONLY; -EINVAL: both. */
int bpf_file_flags(u32 flags);

/* ---- ids ---- */

/*
 * The ids of one kind of objects. They count up from 1, so that an id is not used again soon.
 * Legend: [L] lock.
 */
struct bpf_ids {
	spinlock_t lock;
	struct rb_root tree; /* [L] */
	u32 last;            /* [L] */
};
#define DEFINE_BPF_IDS(name) struct bpf_ids name = { .lock = __SPINLOCK_INIT(name.lock) }

/* Stores an id in *id, then publishes the object under it. 0, -ENOMEM, -ENOSPC. Task context. */
int bpf_id_add(struct bpf_ids *ids, void *object, u32 *id);
/* Takes the id back; 0 is fine. Any context but NMI. */
void bpf_id_remove(struct bpf_ids *ids, u32 id);
/*
 * The object of an id, of which try_get() could take a reference; it is called with L. NULL: no
 * such object. Task context.
 */
void *bpf_id_get(struct bpf_ids *ids, u32 id, bool (*try_get)(void *object));
/* The same for the lowest id from *id on, which it stores in *id. */
void *bpf_id_get_from(struct bpf_ids *ids, u32 *id, bool (*try_get)(void *object));
/* A *_GET_NEXT_ID command. Needs CAP_SYS_ADMIN. */
long bpf_get_next_id(const union bpf_attr *attr, union bpf_attr __user *uattr, struct bpf_ids *ids);

/* ---- BPF_OBJ_GET_INFO_BY_FD ---- */

/*
 * What a program passes and gets: `size` bytes are known here, attr->info.info_len there. in:
 * copies what it passes, and fills the rest with 0: 0, -E2BIG, -EFAULT. out: 0 or -EFAULT.
 */
int bpf_info_in(const union bpf_attr *attr, void *info, u32 size);
int bpf_info_out(const union bpf_attr *attr, union bpf_attr __user *uattr, const void *info,
		 u32 size);
