/*
 * Links: a program together with what it is attached to, as an object with an id and descriptors.
 * When the last descriptor and pin are gone, the program is detached.
 *
 * Legend: [C] constant once the link has an id; [A] atomic; [L] link_mutex.
 */
#pragma once

#include "kernel/atomic.h"
#include "trace/bpf/core/abi.h"
#include "trace/bpf/core/prog.h"

struct bpf_link;
struct file;
struct seq_file;

/* What BPF_OBJ_GET_INFO_BY_FD tells of a link. Linux's layout. */
struct bpf_link_info {
	u32 type, id, prog_id;
	union {
		struct {
			aligned_u64 tp_name; /* in: a buffer; out: the name */
			u32 tp_name_len;
		} raw_tracepoint;
		struct {
			u32 attach_type, target_obj_id, target_btf_id;
		} tracing;
		struct {
			aligned_u64 target_name;
			u32 target_name_len;
			union {
				struct {
					u32 map_id;
				} map;
			};
		} iter;
	};
} __aligned(8);

/* A kind of links. Constant. */
struct bpf_link_ops {
	/* Detaches; no CPU runs the program for this link after it. Task context. */
	void (*release)(struct bpf_link *link);
	/* Frees what contains the link. Task context. */
	void (*free)(struct bpf_link *link);
	/* BPF_LINK_DETACH: NULL: -EOPNOTSUPP. */
	int (*detach)(struct bpf_link *link);
	/* BPF_LINK_UPDATE, old: must be the present one if not NULL. NULL: -EINVAL. */
	int (*update)(struct bpf_link *link, struct bpf_prog *prog, struct bpf_prog *old);
	/* Fills in the part of the kind; uinfo: the user's info, for buffers. 0 or an errno. NULL: none */
	int (*fill_info)(const struct bpf_link *link, struct bpf_link_info *info);
	void (*show_fdinfo)(const struct bpf_link *link, struct seq_file *m);
};

struct bpf_link {
	atomic_t refs;                  /* [A] descriptors, pins, and those that look at it */
	u32 id;                         /* [C] */
	enum bpf_link_type type;        /* [C] */
	const struct bpf_link_ops *ops; /* [C] */
	struct bpf_prog *prog;          /* [L] counted */
};

/* Task context, all of them. put: may be the last one. */
void bpf_link_get(struct bpf_link *link);
void bpf_link_put(struct bpf_link *link);
/* The link of a descriptor, counted; or ERR_PTR(-EBADF, -EINVAL: not a link). */
struct bpf_link *bpf_link_get_fd(int fd);
/* The link of an open file; NULL: another kind of file. Not counted. */
struct bpf_link *bpf_link_of_file(struct file *file);
/* A new descriptor of a link, which it takes a reference for: of OBJ_GET. Or an errno. */
int bpf_link_new_fd(struct bpf_link *link);
/* BPF_OBJ_GET_INFO_BY_FD of a link. 0 or an errno. */
int bpf_link_get_info(const struct bpf_link *link, const union bpf_attr *attr,
		      union bpf_attr __user *uattr);
