/*
 * Maps: memory that programs and user space share, by keys.
 *
 * A map lives as long as one has it: a descriptor, a program, another map, a file in bpffs. Its
 * memory is freed after a grace period of RCU, in a worker. Programs call lookup, update and so on
 * inside rcu_read_lock() with preemption off, in any context, NMI too; user space by bpf(2), with
 * rcu_read_lock() held around the call. A value that lookup returned stays memory of the map until
 * the reader leaves RCU; it may become another element's.
 *
 * Legend: [C] constant once the map has an id; [A] atomic.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/linker_table.h"
#include "kernel/workqueue/workqueue.h"
#include "trace/bpf/core/abi.h"
#include "trace/bpf/core/insn.h"

struct bpf_btf;
struct bpf_map;
struct bpf_prog;
struct btf_type;
struct file;
struct page;
struct poll_table_struct;
struct seq_file;
struct user_struct;
struct vm_area_struct;

/* A type of maps. A linker table: maps/TYPE.c each. Constant. NULL: -EOPNOTSUPP, but where said. */
struct bpf_map_ops {
	enum bpf_map_type type;
	const char *name; /* as bpftool writes it */
	/* Checks what attr asks. 0, -EINVAL, -E2BIG. NULL: no rule of its own. Task context. */
	int (*alloc_check)(const union bpf_attr *attr);
	/*
	 * A map, of which the caller sets the part `struct bpf_map` by bpf_map_init(); or
	 * ERR_PTR(). Charges its memory by bpf_map_area_alloc() and kin. Task context.
	 */
	struct bpf_map *(*alloc)(const union bpf_attr *attr);
	/* Frees it. Nobody can see it any more; a grace period has passed. A worker. */
	void (*free)(struct bpf_map *map);
	/* The last descriptor and pin of user space are gone. Task context. NULL: nothing to do. */
	void (*release_uref)(struct bpf_map *map);
	/* A descriptor of the map is closed: its last one is file. Task context. NULL: nothing. */
	void (*release_file)(struct bpf_map *map, const struct file *file);

	/* Called by programs. Any context. */
	void *(*lookup)(struct bpf_map *map, const void *key); /* NULL: no such element */
	long (*update)(struct bpf_map *map, const void *key, const void *value, u64 flags);
	long (*delete)(struct bpf_map *map, const void *key);
	long (*push)(struct bpf_map *map, const void *value, u64 flags);
	long (*pop)(struct bpf_map *map, void *value);
	long (*peek)(struct bpf_map *map, void *value);
	/* bpf_for_each_map_elem(): calls bpf_call_callback(callback, map, key, value, ctx, 0). */
	long (*for_each)(struct bpf_map *map, const void *callback, void *ctx, u64 flags);
	/* map_lookup_percpu_elem() */
	void *(*lookup_percpu)(struct bpf_map *map, const void *key, u32 cpu);

	/* Called by bpf(2). */
	/* key NULL, or absent: the first key. -ENOENT: that was the last one. RCU held. */
	int (*get_next_key)(struct bpf_map *map, const void *key, void *next_key);
	/*
	 * For batches, of maps with buckets: copies the keys of a bucket. Their number, which may
	 * be 0; -ENOSPC: it has more than max; -ENOENT: there are not so many buckets. Does not
	 * sleep.
	 */
	int (*bucket_keys)(struct bpf_map *map, u32 bucket, void *keys, u32 max);
	/*
	 * Where an element is for user space something else than its value: one value for each CPU,
	 * an id of a program or map. value has bpf_map_user_value_size() bytes. NULL: lookup and
	 * copy, and update. RCU held for read_user. write_user: task context, may sleep: it takes
	 * descriptors; it locks what it needs. read_user: 0 or -ENOENT.
	 */
	int (*read_user)(struct bpf_map *map, const void *key, void *value, u64 flags);
	int (*write_user)(struct bpf_map *map, const void *key, const void *value, u64 flags,
			  struct file *map_file);
	/* Bytes of that value. NULL: value_size. */
	u32 (*user_value_size)(const struct bpf_map *map);
	/*
	 * Called before an update by bpf(2), outside RCU, task context: what the update needs and
	 * may sleep for (memory). 0 or an errno. NULL: nothing.
	 */
	int (*prepare_update)(struct bpf_map *map);
	/*
	 * Whether an area may show the map: 0 or -EINVAL. May change vma->vm_flags. NULL:
	 * -ENOTSUPP. Task context. mmap_page: a page of it, whose reference stays the map's, for
	 * the faults of that area; NULL: SIGBUS. syscall/map.c owns vma->vm_ops.
	 */
	int (*mmap)(struct bpf_map *map, struct vm_area_struct *vma);
	struct page *(*mmap_page)(struct bpf_map *map, unsigned long pgoff);
	unsigned (*poll)(struct bpf_map *map, struct file *file, struct poll_table_struct *wait);
	void (*show_fdinfo)(struct bpf_map *map, struct seq_file *m);

	/* Called by the verifier. */
	/* The address of the byte at off in the value of a map of one element. 0 or an errno. */
	int (*direct_value_addr)(const struct bpf_map *map, u64 *address, u32 off);
	/*
	 * Whether the other map may stand where this one stood as inner map. NULL:
	 * bpf_map_meta_equal()
	 */
	bool (*meta_equal)(const struct bpf_map *meta, const struct bpf_map *map);
};
/* static const struct bpf_map_ops name BPF_MAP_TYPE(name) = { … }; */
#define BPF_MAP_TYPE(name) LINKER_TABLE_ENTRY(rodata, bpf_map_types, #name)

struct bpf_map {
	const struct bpf_map_ops *ops; /* [C] */
	enum bpf_map_type map_type;    /* [C] */
	u32 key_size, value_size;      /* [C] */
	u32 max_entries;               /* [C] */
	u64 map_extra;                 /* [C] */
	u32 map_flags;                 /* [C] */
	u32 id;                        /* [C] */
	/* Of a map of maps: what its elements are like; a map without elements. [C] */
	struct bpf_map *inner_map_meta;
	struct bpf_btf *btf;                    /* [C] counted; NULL: has none */
	u32 btf_key_type_id, btf_value_type_id; /* [C] */
	char name[BPF_OBJ_NAME_LEN];            /* [C] */
	/*
	 * Of a prog array: the kind of its programs, set by the first program that is put in or
	 * uses it. [owner_lock]
	 */
	struct bpf_map_owner {
		bool known, jited;
		enum bpf_prog_type type;
		/* Of TRACING: programs for other functions have other contexts. */
		enum bpf_attach_type attach_type;
		const struct btf_type *attach_func_proto;
	} owner;
	/* [A] calls and mappings that may write now; BPF_MAP_FROZEN: none, and never again */
	atomic_t writers;
	struct user_struct *payer;  /* [C] counted */
	atomic64_t charged;         /* [A] bytes */
	atomic64_t refs, user_refs; /* [A] user_refs: descriptors and pins */
	struct work_struct free_work;
};
#define BPF_MAP_FROZEN -1

static inline bool bpf_map_is_frozen(const struct bpf_map *map)
{
	return atomic_read(&map->writers) == BPF_MAP_FROZEN;
}

/* maps/map.c. Any context unless said. */
const struct bpf_map_ops *bpf_find_map_type(u32 type);
/* Sets ops, type, sizes, entries, flags from attr. */
void bpf_map_init(struct bpf_map *map, const struct bpf_map_ops *ops, const union bpf_attr *attr);
/* Zeroed memory of a map, charged to map->payer, or NULL. Task context. free: task context. */
void *bpf_map_area_alloc(struct bpf_map *map, u64 size);
void bpf_map_area_free(struct bpf_map *map, void *area, u64 size);
/* Bytes of an element for user space: value_size, or one 8-byte aligned value for each CPU. */
u32 bpf_map_user_value_size(const struct bpf_map *map);
bool bpf_map_meta_equal(const struct bpf_map *meta, const struct bpf_map *map);

/* syscall/map.c. put: may be the last; any context. */
void bpf_map_get(struct bpf_map *map);
void bpf_map_put(struct bpf_map *map);
/* The map of a descriptor, counted; or ERR_PTR(-EBADF), (-EINVAL: not a map). Task context. */
struct bpf_map *bpf_map_get_fd(int fd);
/*
 * Whether it is a map whose contents neither user space nor programs change: RDONLY_PROG, frozen.
 */
bool bpf_map_is_rdonly(const struct bpf_map *map);
/*
 * Allocates a map of any type as MAP_CREATE would, without a descriptor. For host tests and
 * MAP_CREATE. Payer: the current user.
 */
struct bpf_map *bpf_map_alloc(const union bpf_attr *attr);

/*
 * maps/prog_array.c. The program at index, for a tail call; NULL: there is none. RCU held, any
 * context.
 */
const struct bpf_prog *bpf_prog_array_get(const struct bpf_map *map, u64 index);
/*
 * Whether the program may stand in this prog array, or use it: it has the type, and runs in the way
 * (compiled, interpreted), of the first program that this was asked for. Task context.
 */
bool bpf_prog_array_compatible(struct bpf_map *map, const struct bpf_prog *prog);

static inline bool bpf_map_is_percpu(const struct bpf_map *map)
{
	return map->map_type == BPF_MAP_TYPE_PERCPU_HASH ||
	       map->map_type == BPF_MAP_TYPE_LRU_PERCPU_HASH ||
	       map->map_type == BPF_MAP_TYPE_PERCPU_ARRAY;
}
