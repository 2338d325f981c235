/* The host's sections.h: an image of 1 MiB at its usual address. */
#pragma once

#define __boot_begin ((char *)0x100000)
#define _end         ((char *)0xffffffff80200000)

extern char __start_rodata[], __end_rodata[]; /* the test that needs them defines them */
