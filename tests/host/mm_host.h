/*
 * The environment of the memory manager on the host: an arena as physical memory, one CPU, and messages,
 * warnings and panics that tests can check.
 */
#pragma once

#include <sys/mman.h>

#include "fake_kallsyms.h"
#include "kernel/boot/boot_info.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/internal.h"
#include "kernel/mm/slab.h"
#include "kernel/smp.h"

#define ARENA_SIZE (64UL << 20)

struct boot_info boot_info;
struct cpumask cpu_possible_mask = { { 1 } };
unsigned nr_cpu_ids = 1;
u32 __preempt_count = PREEMPT_NEED_RESCHED;
bool host_irqs_off;
unsigned long host_page_offset;

static char host_messages[1 << 16];  /* the output of printk() */
static unsigned host_warnings;       /* failed WARN_ON() */
static unsigned host_alloc_failures; /* reports of failed allocations */
static jmp_buf host_panic;

int printk(const char *fmt, ...)
{
	size_t used = strlen(host_messages);
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(host_messages + used, sizeof(host_messages) - used, fmt, args);
	va_end(args);
	return n;
}

void report_warning(const char *file, int line, const char *what)
{
	(void)file, (void)line, (void)what;
	host_warnings++;
}

void report_bug(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}

void panic(const char *fmt, ...)
{
	(void)fmt;
	longjmp(host_panic, 1);
}

void boot_refuse(const char *fmt, ...)
{
	(void)fmt;
	longjmp(host_panic, 1);
}

void warn_alloc(gfp_t gfp, unsigned order)
{
	(void)gfp, (void)order;
	host_alloc_failures++;
}

void preempt_schedule(void)
{
	abort();
}

/* With one CPU, no lock is ever waited for. */
void spin_lock_wait(spinlock_t *lock, u16 ticket)
{
	(void)lock, (void)ticket;
	abort();
}

void ticket_lock_kick(const spinlock_t *lock, u16 ticket)
{
	(void)lock, (void)ticket;
	abort();
}

void dump_stack(void)
{
}

void on_each_cpu(smp_call_func_t func, void *info, bool wait)
{
	(void)wait;
	func(info);
}

/* A PC of 64 MiB: the usual holes, and a hole from 32 to 40 MiB. */
static inline void host_set_memory_map(void)
{
	boot_info = (struct boot_info){ .memory_count = 0 };
	boot_info.memory[boot_info.memory_count++] =
		(struct memory_region){ 0, 0x9fc00, MEMORY_USABLE };
	boot_info.memory[boot_info.memory_count++] =
		(struct memory_region){ 0x9fc00, 0x400, MEMORY_RESERVED };
	boot_info.memory[boot_info.memory_count++] =
		(struct memory_region){ 1 << 20, 31 << 20, MEMORY_USABLE };
	boot_info.memory[boot_info.memory_count++] =
		(struct memory_region){ 40 << 20, 23 << 20, MEMORY_USABLE };
	boot_info.memory[boot_info.memory_count++] =
		(struct memory_region){ 63 << 20, 1 << 20, MEMORY_ACPI };
}

static inline void host_boot(void)
{
	void *arena =
		mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(arena != MAP_FAILED);
	memset(arena, 0xa5, ARENA_SIZE); /* the contents of RAM are undefined */
	host_page_offset = (unsigned long)arena;
	host_set_memory_map();
	memblock_init();
	mem_init();
}
