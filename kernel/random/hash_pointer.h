/* Hashes of kernel addresses, for text that others may read. */
#pragma once

/*
 * Returns a number of 32 bits that stands for the address: the same for the same address until the
 * next boot, and useless to find the address. NULL and error pointers stay as they are, as in
 * Linux's Documentation/core-api/printk-formats.rst, "Plain Pointers". Any context.
 */
unsigned long hash_pointer(unsigned long address);
