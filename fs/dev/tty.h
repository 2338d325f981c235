/* Terminals as files. kernel/console/ implements the terminals. */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/console/tty.h"

/*
 * The operations of an open file of a terminal: private_data is the struct tty_struct. An open
 * operation that has found the terminal, and has opened it, calls tty_file_opened().
 */
extern const struct file_operations tty_file_operations;
/* For the fasync operation: gives the file an owner, too: the foreground job of tty, or the
 * process. */
int tty_fasync_helper(int fd, struct file *file, bool on, struct tty_struct *tty,
		      struct fasync_struct **list);
void tty_file_opened(struct file *file, struct tty_struct *tty);
