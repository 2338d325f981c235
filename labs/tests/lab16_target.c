/*
 * What the debugger of lab 16 is tried on: functions whose instructions are known, and programs that notice a bad debugger.
 *
 * lab16_target MODE [N]. labs/tests/lab16.py says what mdb must show of it.
 */
#pragma GCC optimize("no-omit-frame-pointer")
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EDGE ((unsigned char *)0x10000000) /* a page with nothing behind it */
#define PAGE 4096

long leaves, recursions, rounds;
volatile long finish, first_signals, traps;
volatile union {
	uint8_t bytes[64];
	uint16_t halves[32];
	uint32_t words[16];
	uint64_t longs[8];
} field __attribute__((aligned(64)));
volatile long loops;

void leaf(void), walk(long n), recurse(long n), slow(long n), traps_itself(void), deep(void), outer(void), wild(long frame), here(void), never_back(void);

asm(".macro function name\n.globl \\name\n.type \\name, @function\n\\name:\n.endm\n"
    ".macro place name\n.globl \\name\n\\name:\n.endm\n"
    ".macro end name\n.size \\name, . - \\name\n.endm\n"
    ".text\n"

    /* Three instructions of one byte. */
    "function leaf\n"
    "	nop\n"
    "place leaf_1\n"
    "	nop\n"
    "place leaf_2\n"
    "	nop\n"
    "place leaf_count\n"
    "	incq leaves(%rip)\n"
    "place leaf_end\n"
    "	ret\n"
    "end leaf\n"

    "function here\n"
    "	incq leaves(%rip)\n"
    "place here_2\n"
    "	nop\n"
    "	ret\n"
    "end here\n"

    /* One instruction of each kind that next() can meet. */
    "function walk\n"
    "	push %rbx\n"
    "place walk_1\n"
    "	mov %rdi, %rbx\n"
    "place walk_2\n"
    "	lea leaf(%rip), %rax\n"
    "place walk_call\n"
    "	call leaf\n"
    "place walk_register\n"
    "	call *%rax\n"
    "place walk_memory\n"
    "	call *leaf_pointer(%rip)\n"
    "place walk_3\n"
    "	mov %rbx, %rdi\n"
    "place walk_recurse\n"
    "	call recurse\n"
    "place walk_here\n"
    "	call walk_pop\n"
    "place walk_pop\n"
    "	pop %rax\n"
    "place walk_4\n"
    "	lea walk_6(%rip), %rax\n"
    "place walk_push\n"
    "	push %rax\n"
    "place walk_5\n"
    "	pop %rax\n"
    "place walk_6\n"
    "	mov $39, %eax\n" /* getpid() */
    "place walk_syscall\n"
    "	syscall\n"
    "place walk_7\n"
    "	jmp walk_8\n"
    "	nop\n"
    "place walk_8\n"
    "	pop %rbx\n"
    "place walk_end\n"
    "	ret\n"
    "end walk\n"
    ".pushsection .data\nleaf_pointer: .quad leaf\n.popsection\n"

    "function recurse\n"
    "	dec %rdi\n"
    "	jz recurse_2\n"
    "place recurse_call\n"
    "	call recurse\n"
    "place recurse_2\n"
    "	incq recursions(%rip)\n"
    "place recurse_end\n"
    "	ret\n"
    "end recurse\n"

    "function slow\n"
    "1:	incq rounds(%rip)\n"
    "	dec %rdi\n"
    "	jnz 1b\n"
    "place slow_end\n"
    "	ret\n"
    "end slow\n"

    "function traps_itself\n"
    "	nop\n"
    "	int3\n"
    "place traps_itself_2\n"
    "	nop\n"
    "	ret\n"
    "end traps_itself\n"

    /* outer() calls deep(), and nothing is behind its call. A frame of outer() has been called by main(). */
    "function deep\n"
    "	push %rbp\n"
    "place deep_1\n"
    "	mov %rsp, %rbp\n"
    "place deep_2\n"
    "	sub $32, %rsp\n"
    "place deep_3\n"
    "	nop\n"
    "place deep_4\n"
    "	leave\n"
    "place deep_end\n"
    "	ret\n"
    "end deep\n"
    "function outer\n"
    "	push %rbp\n"
    "	mov %rsp, %rbp\n"
    "	call deep\n"
    "place outer_1\n"
    "	pop %rbp\n"
    "	ret\n"
    "end outer\n"
    "function never_back\n"
    "	push %rbp\n"
    "	mov %rsp, %rbp\n"
    "	call leaves_for_good\n"
    "end never_back\n"
    "function leaves_for_good\n"
    "	push %rbp\n"
    "	mov %rsp, %rbp\n"
    "	xor %edi, %edi\n"
    "place for_good_1\n"
    "	call _exit\n"
    "	ud2\n"
    "end leaves_for_good\n"

    /* Uses rbp for something else. */
    "function wild\n"
    "	push %rbp\n"
    "	mov %rsp, %rbp\n"
    "	push %rbp\n"
    "	mov %rdi, %rbp\n"
    "place wild_1\n"
    "	nop\n"
    "	pop %rbp\n"
    "	pop %rbp\n"
    "	ret\n"
    "end wild\n");


static void on_first(int sig)
{
	(void)sig;
	first_signals++;
}

static void on_finish(int sig)
{
	(void)sig;
	finish = 1;
}

static void on_trap(int sig)
{
	(void)sig;
	traps++;
}

static void catch_signals(void)
{
	/* Without SA_RESTART a call that a signal or a debugger disturbs fails. */
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_finish }, NULL);
	sigaction(SIGUSR2, &(struct sigaction){ .sa_handler = on_first }, NULL);
	sigaction(SIGTRAP, &(struct sigaction){ .sa_handler = on_trap }, NULL);
}

static int report(void)
{
	printf("leaves %ld, USR2 %ld, TRAP %ld\n", leaves, first_signals, traps);
	return 0;
}

static int show_arguments(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		printf("[%s]\n", argv[i]);
	return 3;
}

/* Lives longer than its parent. */
static int outlive(void)
{
	while (getppid() != 1)
		;
	printf("alive without a debugger\n");
	return 0;
}

static int fill_memory(void)
{
	if (mmap(EDGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != EDGE)
		return 1;
	for (int i = 0; i < PAGE; i++)
		EDGE[i] = (unsigned char)(i * 7 + i / 256);
	memset(EDGE + 64, 0xff, 16);
	raise(SIGUSR2);
	return 0;
}

__attribute__((noinline)) static int write_field(void)
{
	leaf();
	field.longs[1] = 0x1111111111111111;
	field.bytes[7] = 7;
	field.bytes[8] = 8;
	field.halves[1] = 0x1234;
	field.halves[2] = 0x5678;
	field.words[6] = 66;
	field.words[7] = 77;
	field.longs[4] = field.longs[1];
	field.longs[5] = 5;
	leaf();
	field.longs[4] = 4;
	field.bytes[7] = 70;
	return 0;
}

__attribute__((noinline)) static int raise_all(void)
{
	raise(SIGUSR2);
	raise(SIGTRAP);
	traps_itself();
	here();
	here();
	raise(SIGUSR2);
	report();
	leaf();
	*(volatile int *)8 = 1;
	return 0;
}

static int loop_until_told(void)
{
	printf("ready\n");
	while (!finish) {
		loops++;
		leaf();
	}
	printf("USR2 %ld, TRAP %ld\n", first_signals, traps);
	return 5;
}

/* Waits for a byte of its input. */
static int wait_for_byte(void)
{
	char byte;

	printf("ready\n");
	if (read(0, &byte, 1) != 1)
		printf("read: %s\n", strerror(errno));
	else
		printf("read %c\n", byte);
	return 5;
}

__attribute__((noinline)) static int backtraces(void)
{
	static uint64_t itself[2] = { (uint64_t)itself, (uint64_t)leaf };

	outer();
	wild(0);
	wild(8);
	wild((long)itself);
	never_back();
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	catch_signals();
	if (!strcmp(mode, "arguments"))
		return show_arguments(argc, argv);
	if (!strcmp(mode, "exec"))
		return execl("/proc/self/exe", argv[0], "arguments", "again", NULL);
	if (!strcmp(mode, "outlive"))
		return outlive();
	if (!strcmp(mode, "memory"))
		return fill_memory();
	if (!strcmp(mode, "write"))
		return write_field();
	if (!strcmp(mode, "signals"))
		return raise_all();
	if (!strcmp(mode, "loop"))
		return loop_until_told();
	if (!strcmp(mode, "wait"))
		return wait_for_byte();
	if (!strcmp(mode, "callers"))
		return backtraces();
	if (!strcmp(mode, "slow"))
		slow(n);
	else if (!strcmp(mode, "walk"))
		walk(n);
	else
		while (n-- > 0)
			leaf();
	return report();
}
