/* The CPU's trap flag: a SIGTRAP behind each instruction, until the flag is cleared. */
#pragma once

#define TRAP_FLAG 0x100L /* in RFLAGS */

static inline void set_trap_flag(void)
{
	__asm__ __volatile__("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}

static inline void clear_trap_flag(void)
{
	__asm__ __volatile__("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}
