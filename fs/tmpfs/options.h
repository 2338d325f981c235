/* The options of mount(2) for tmpfs. */
#pragma once

#include "fs/tmpfs/tmpfs.h"

/*
 * Parses "size=64m,mode=1777,nr_inodes=1k,uid=0,gid=0" into info; data may be NULL. 0, or -EINVAL
 * for an option that it does not know or understand. It depends on nothing but the text.
 */
int tmpfs_parse_options(struct tmpfs_sb_info *info, const char *data);
