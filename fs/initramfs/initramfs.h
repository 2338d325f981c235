/* The archives that the boot loader has put into memory. */
#pragma once

#include "kernel/types.h"

/*
 * Unpacks them into "/", and frees their memory. Boot, after the root is mounted and before
 * anything is mounted on it.
 */
void initramfs_unpack(void);
/* For first_program: calls exec for rdinit= or /init. Panics if there is none. PID 1. */
void run_first_program(void);
