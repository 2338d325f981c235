/* Name and version of this kernel. */
#pragma once

#define UTS_SYSNAME "nop5"
#define UTS_RELEASE "0.1.0"
/* The release that uname(2) shows: the Linux whose interfaces programs and modules find here. */
#define UTS_LINUX_RELEASE "6.1.0-nop5"

/* "nop5 version 0.1.0 (nop5@localhost) (COMPILER) #1 SMP PREEMPT\n", as /proc/version prints it. */
extern const char linux_proc_banner[];
