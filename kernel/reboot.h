/* The end of the system: a last message, the dumpers of the log, the console, the machine. */
#pragma once

#include "kernel/compiler.h"

/* As reboot(2) does. Task context. */
void __noreturn kernel_restart(void);
void __noreturn kernel_power_off(void);
void __noreturn kernel_halt(void);
