/* The file system bpf: names for programs, maps and links (bpffs.c), and what pins them (pin.c). */
#pragma once

#include "fs/vfs/fs.h"

/* The kinds of objects that a file may be. */
enum bpf_pin_kind { BPF_PIN_PROG, BPF_PIN_MAP, BPF_PIN_LINK, NR_BPF_PIN_KINDS };

/*
 * Makes dentry a file for the object, whose reference it takes over on success. The caller holds
 * the i_mutex of dir. 0, -EPERM (dir is of another file system, or a bad name), -EACCES, -ENOENT,
 * -ENOMEM.
 */
int bpffs_create(struct inode *dir, struct dentry *dentry, enum bpf_pin_kind kind, void *object,
		 umode_t mode);
/* The object of a file, not counted, and its kind; NULL: it is no such file. */
void *bpffs_object(const struct inode *inode, enum bpf_pin_kind *kind);

/* map_text.c: of the file of a map. One whose elements have no types does not open: -EIO. */
extern const struct file_operations bpf_map_text_operations;

/* pin.c */
void bpf_pin_get(void *object, enum bpf_pin_kind kind);
void bpf_pin_put(void *object, enum bpf_pin_kind kind);
