/*
 * Iterators: TRACING programs that run for each object of a kind, and write text that the reader of
 * an open iterator gets.
 *
 * A program is loaded for the function bpf_iter_KIND(): the function does nothing, but its types in
 * the kernel's BTF are those of the context. Behind the last object the program runs once more with
 * NULL as the object.
 */
#pragma once

#include "fs/vfs/seq_file.h"
#include "trace/bpf/attach/link.h"

struct bpf_map;
struct bpf_iter_target;

/* The first word of each context points to it. Linux's layout. */
struct bpf_iter_meta {
	struct seq_file *seq;
	u64 session_id; /* a number of this open iterator */
	u64 seq_num;    /* objects so far */
};

/* What a program passes to LINK_CREATE. */
union bpf_iter_link_info {
	struct {
		u32 map_fd;
	} map;
	struct {
		u32 order, cgroup_fd;
		u64 cgroup_id;
	} cgroup;
	struct {
		u32 tid, pid, pid_fd;
	} task;
};

/* Which objects. Constant once the link is published. */
struct bpf_iter_choice {
	struct bpf_map *map; /* counted; NULL: none */
	u32 buf_size;        /* the room for its keys, and for its values: no program reads more */
	u32 tid, pid;        /* 0: any */
};

#define BPF_ITER_WORDS 4

/* An open iterator. Its reads are serialised by the seq_file. */
struct bpf_iter_session {
	const struct bpf_iter_target *target; /* constant, as are the next two */
	struct bpf_iter_choice choice;
	struct bpf_prog *prog; /* counted */
	struct bpf_iter_meta meta;
	/* What the program gets: meta, and the object, which is counted. */
	u64 context[BPF_ITER_WORDS];
	bool done; /* the program has run behind the last object */
	/* Of the target: the next object is the first one from here on. */
	u32 id, fd;
	void *room; /* kvfree()d at the end */
};

/* A kind. A linker table, constant. All functions: task context; the object is session->context. */
struct bpf_iter_target {
	const char *name; /* behind "bpf_iter_" */
	/* Takes what the user chooses. 0 or an errno. NULL: nothing to choose. */
	int (*choose)(const union bpf_iter_link_info *info, struct bpf_iter_choice *choice);
	/* Makes session->room. 0 or -ENOMEM. NULL: needs none. */
	int (*open)(struct bpf_iter_session *session);
	/* Takes the next object. False: there is none. */
	bool (*get)(struct bpf_iter_session *session);
	void (*put)(struct bpf_iter_session *session);
	/* Behind this object, which get() has found. */
	void (*advance)(struct bpf_iter_session *session);
	/* Calls bpf_iter_run(), if the object is still there. NULL: only that. */
	int (*run)(struct bpf_iter_session *session);
	u64 unused;
};
#define BPF_ITER_TARGET(name)                                                                      \
	static const struct bpf_iter_target iter_##name LINKER_TABLE_ENTRY(                        \
		rodata, bpf_iter_targets, #name)

/* 0: go on; -EAGAIN: the program wants the same object again. */
int bpf_iter_run(struct bpf_iter_session *session);

/*
 * Defines the context of a kind, and the function by which programs name it. Both are only types.
 */
#define DEFINE_BPF_ITER_FUNC(target, args...)                                                      \
	int bpf_iter_##target(args);                                                               \
	int __init bpf_iter_##target(args)                                                         \
	{                                                                                          \
		return 0;                                                                          \
	}
