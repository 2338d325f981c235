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
struct perf_event;
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
			struct {
				u64 cgroup_id;
				u32 order;
			} cgroup; /* of iterators that nop5 does not have: for the size */
		} iter;
	};
} __aligned(8);

/* A kind of links. Constant. */
struct bpf_link_ops {
	enum bpf_link_type type;
	const char *name; /* as fdinfo writes it */
	/* Detaches; no CPU runs the program for this link after it. Task context. */
	void (*release)(struct bpf_link *link);
	/* Frees what contains the link. Task context. */
	void (*free)(struct bpf_link *link);
	/* BPF_LINK_UPDATE. L held. old: NULL, or what the program must be now: else -EPERM. */
	int (*update)(struct bpf_link *link, struct bpf_prog *prog, const struct bpf_prog *old);
	/* Fills in the kind's part, which has the user's buffers. 0 or an errno. NULL: none. */
	int (*fill_info)(const struct bpf_link *link, struct bpf_link_info *info);
	void (*show_fdinfo)(const struct bpf_link *link, struct seq_file *m); /* NULL: no lines */
};

struct bpf_link {
	atomic_t refs;                  /* [A] descriptors, pins, and those that look at it */
	u32 id;                         /* [C] */
	const struct bpf_link_ops *ops; /* [C] */
	struct bpf_prog *prog;          /* [L] to change; counted */
};

/* All of them: task context. */

/* Of a kind: a new link with one reference, which takes over that to prog. */
void bpf_link_init(struct bpf_link *link, const struct bpf_link_ops *ops, struct bpf_prog *prog);
/*
 * The link, which has attached its program, gets an id and a descriptor, which takes over the
 * reference. The descriptor, or an errno: then the link is released and freed.
 */
int bpf_link_publish(struct bpf_link *link);

void bpf_link_get(struct bpf_link *link);
void bpf_link_put(struct bpf_link *link); /* may be the last one */
/* The link of a descriptor, counted; or ERR_PTR(-EBADF, -EINVAL: not a link). */
struct bpf_link *bpf_link_get_fd(int fd);
/* The link of an open file; NULL: another kind of file. Not counted. */
struct bpf_link *bpf_link_of_file(struct file *file);
/* A new descriptor, which takes over the caller's reference; an error does not. */
int bpf_link_new_fd(struct bpf_link *link);
/* Its program, counted. */
struct bpf_prog *bpf_link_get_prog(struct bpf_link *link);
/* BPF_OBJ_GET_INFO_BY_FD of a link. 0 or an errno. */
int bpf_link_get_info(struct bpf_link *link, const union bpf_attr *attr,
		      union bpf_attr __user *uattr);
/*
 * Copies a name into a program's buffer of size bytes, cut at its end. 0; -ENOSPC: it was cut;
 * -EFAULT.
 */
int bpf_copy_text(u64 to, u32 size, const char *text);

/* ---- kinds: attach a program, and return the descriptor of a link or an errno ---- */

/* Each takes over the reference to prog, also if it fails. perf.c */
int bpf_perf_link_attach(const union bpf_attr *attr, struct bpf_prog *prog);
struct bpf_prog *bpf_perf_event_prog(struct perf_event *event); /* counted; NULL: has none */
/* raw_tp.c: name: of a RAW_TRACEPOINT program's tracepoint; 0: attach_btf_id tells it. */
int bpf_raw_tp_attach(struct bpf_prog *prog, u64 name);
const char *bpf_raw_tp_link_name(const struct bpf_link *link); /* NULL: another kind */
/* tracing.c: fentry, fexit, fmod_ret */
int bpf_tracing_attach(struct bpf_prog *prog, u64 cookie);
/* multi.c */
int bpf_kprobe_multi_attach(const union bpf_attr *attr, struct bpf_prog *prog);
/* iter.c */
int bpf_iter_attach(const union bpf_attr *attr, struct bpf_prog *prog);
