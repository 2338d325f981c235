/* The archives that the boot loader has put into memory. */
#pragma once

#include "kernel/types.h"

/*
 * Unpacks them into "/", and frees their memory. Returns whether they held anything. Boot, after
 * the root is mounted and before anything is mounted on it.
 */
bool initramfs_unpack(void);
/* For first_program: calls exec for the program that init= names, or that is found. PID 1. */
void run_first_program(void);
