/* What the compiler tells the linker. */
#pragma once

/* The linker's name of a function, if it is not the one in C. After the declaration. */
#define __symbol(name) __asm__(name)
/* The name of a system call's function: Linux's for this machine. */
#define SYSCALL_SYMBOL(name) __symbol("__x64_sys_" #name)
