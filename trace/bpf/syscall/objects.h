/* The files of this room, among themselves: objects and their descriptors. */
#pragma once

#include "fs/file/file.h"
#include "trace/bpf/core/btf.h"
#include "trace/bpf/core/map.h"
#include "trace/bpf/core/prog.h"
#include "trace/bpf/syscall/command.h"

extern struct bpf_ids bpf_map_ids, bpf_prog_ids, bpf_btf_ids;

/* map_file.c. The map of an open descriptor, not counted; or an ERR_PTR, as bpf_map_get_fd(). */
struct bpf_map *bpf_map_of_fd(struct fd f);
struct bpf_map *bpf_map_of_file(struct file *file); /* NULL: another kind of file */
/*
 * A new descriptor, which takes over the caller's reference of user space (bpf_map_get_user()); an
 * error does not. flags: O_RDWR and so on.
 */
int bpf_map_new_fd(struct bpf_map *map, unsigned flags);
/* References of user space: descriptors, pins. They count as references, too. Task context. */
void bpf_map_get_user(struct bpf_map *map);
void bpf_map_put_user(struct bpf_map *map);
/*
 * Before and after a change by bpf(2), and a mapping that can be written. False: the map is frozen.
 */
bool bpf_map_write_begin(struct bpf_map *map);
void bpf_map_write_end(struct bpf_map *map);
/* map_mmap.c: of map_fops. */
int bpf_map_mmap(struct file *file, struct vm_area_struct *vma);

/*
 * map_elem.c, for map_batch.c: value has bpf_map_user_value_size() bytes. 0 or an errno. Task
 * context.
 */
int bpf_map_copy_value(struct bpf_map *map, const void *key, void *value, u64 flags);
int bpf_map_update_value(struct bpf_map *map, struct file *file, const void *key, const void *value,
			 u64 flags);
/* Copies and deletes. */
int bpf_map_take_value(struct bpf_map *map, const void *key, void *value, u64 flags);
int bpf_map_delete_value(struct bpf_map *map, const void *key);
/* A copy of size bytes of a program, which the caller kvfree()s; or an ERR_PTR. Task context. */
void *bpf_copy_in(u64 from, u32 size);

/* prog.c */
struct bpf_prog *bpf_prog_of_file(struct file *file); /* NULL: another kind of file */
/* A new descriptor, which takes over the caller's reference; an error does not. */
int bpf_prog_new_fd(struct bpf_prog *prog);
void bpf_prog_free(struct bpf_prog *prog); /* one without an id, which no CPU has run */
/* The sums of all CPUs. */
void bpf_prog_read_stats(const struct bpf_prog *prog, struct bpf_prog_stats *sum);
/* prog_info.c. 0 or an errno. */
int bpf_prog_get_info(const struct bpf_prog *prog, const union bpf_attr *attr,
		      union bpf_attr __user *uattr);
/* prog_bind.c: held to read used_maps of a program that has an id. */
extern struct mutex bpf_used_maps_mutex;

/* btf.c */
struct bpf_btf *bpf_btf_of_file(struct file *file); /* NULL: another kind of file */
int bpf_btf_new_fd(struct bpf_btf *btf);            /* as bpf_prog_new_fd() */
/* The types of the kernel as an object, not counted; or an ERR_PTR: -ENOENT: it has none. */
struct bpf_btf *bpf_btf_of_kernel(void);
