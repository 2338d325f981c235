/* The functions of features that add to the VFS: hooks.h. */
#include "fs/vfs/hooks.h"

#include "fs/vfs/fsnotify.h"
#include "kernel/sched/fasync.h"

struct vfs_hooks vfs_hooks __ro_after_init;
DEFINE_STATIC_KEY_FALSE(fsnotify_key);
void (*kill_fasync_hook)(struct fasync_struct **list, int sig, int band);
