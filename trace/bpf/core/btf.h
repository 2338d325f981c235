/*
 * Types that user space has loaded (BPF_BTF_LOAD), and those of the kernel and its modules, as
 * objects with an id and descriptors.
 *
 * Legend: [C] constant once it has an id; [A] atomic; [M] modules_mutex (syscall/btf_module.c).
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/btf/btf.h"
#include "kernel/module_list.h"
#include "kernel/rcu/rcu.h"

struct btf_module_data;
struct user_struct;

struct bpf_btf {
	struct btf btf;                      /* [C]; of the kernel and modules: bpf_btf_types() */
	const void *data;                    /* [C] of module_data, if that is there */
	u32 size;                            /* [C] bytes */
	u32 id;                              /* [C] */
	bool of_kernel;                      /* [C] or of a module */
	const char *name;                    /* [C] "vmlinux", of the module, "" */
	struct user_struct *payer;           /* [C] counted */
	atomic_t refs;                       /* [A] */
	struct btf_module_data *module_data; /* [C] counted; NULL: of no module */
	struct module *module; /* [M] whose types these are; NULL: none, or it has gone */
	struct list_head list; /* [M] */
	char module_name[MODULE_NAME_LEN]; /* [C] "": of no module */
	struct rcu_head rcu;
};

/* syscall/btf.c */
void bpf_btf_get(struct bpf_btf *btf);
void bpf_btf_put(struct bpf_btf *btf); /* any context */
/* The object of a descriptor, counted; or ERR_PTR(-EBADF, -EINVAL). Task context. */
struct bpf_btf *bpf_btf_get_fd(int fd);

/* syscall/btf_module.c. All: task context. */
/* The types, which are read now if they were not. NULL: no usable ones. */
const struct btf *bpf_btf_types(struct bpf_btf *btf);
/*
 * *module: the module of the types, counted; NULL: they are of no module. False: the module is
 * gone, or not yet live.
 */
bool bpf_btf_get_module(const struct bpf_btf *btf, struct module **module);
/* The types of a module that the caller has a reference of; counted. NULL: it has none. */
struct bpf_btf *bpf_btf_of_module(const struct module *module);
