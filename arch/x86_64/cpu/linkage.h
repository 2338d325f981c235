/* What the compiler tells the linker. */
#pragma once

/* The linker's name of a function, if it is not the one in C. After the declaration. */
#define __symbol(name) __asm__(name)
