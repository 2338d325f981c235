/* The archives that the boot loader has put into memory. */
#pragma once

#include "kernel/types.h"

/*
 * Unpacks them into "/", and frees their memory. Boot, after the root is mounted and before
 * anything is mounted on it.
 */
void initramfs_unpack(void);
