/* The entry of system calls. For arch/ only. */
#pragma once

/* Makes SYSCALL of this CPU enter the kernel. Boot of each CPU, after load_descriptors(). */
void syscall_init(void);

/* entry_syscall.asm: where SYSCALL leads to. */
extern const char entry_SYSCALL_64[], entry_SYSCALL_compat[];
