/* The entry of system calls. For arch/ only. */
#pragma once

/* entry_syscall.asm: where SYSCALL leads to. */
extern const char entry_SYSCALL_64[], entry_SYSCALL_compat[];
