/* The line with the names of the kernel and its compiler. */
#include "kernel/boot/version.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char linux_proc_banner[] =
	UTS_SYSNAME " version " UTS_RELEASE " (nop5@localhost) (" COMPILER ") #1 SMP PREEMPT\n";
