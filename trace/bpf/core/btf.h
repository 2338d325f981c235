/*
 * Types that user space has loaded (BPF_BTF_LOAD), and those of the kernel, as objects with an id
 * and descriptors.
 *
 * Legend: [C] constant once it has an id; [A] atomic.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/btf/btf.h"
#include "kernel/rcu/rcu.h"

struct user_struct;

struct bpf_btf {
	struct btf btf;            /* [C] */
	const void *data;          /* [C] */
	u32 size;                  /* [C] bytes */
	u32 id;                    /* [C] */
	bool of_kernel;            /* [C] */
	const char *name;          /* [C] "vmlinux", ""; */
	struct user_struct *payer; /* [C] counted */
	atomic_t refs;             /* [A] */
	struct rcu_head rcu;
};

/* syscall/btf.c */
void bpf_btf_get(struct bpf_btf *btf);
void bpf_btf_put(struct bpf_btf *btf); /* any context */
/* The object of a descriptor, counted; or ERR_PTR(-EBADF, -EINVAL). Task context. */
struct bpf_btf *bpf_btf_get_fd(int fd);
