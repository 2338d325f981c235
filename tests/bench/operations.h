/*
 * What the measured programs share (programs.c, perf.c): operations, and the loops that measure them. Static programs, on one
 * CPU, where the TSC counts instructions. Each figure is the mean of many operations after some that warm up.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#define PAGE 4096

/* A system call without the wrapper of the C library, which would count, too. */
static inline long call4(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void expect(int good, const char *what)
{
	if (!good)
		die(what);
}

static char *next_fault;

static void op_fault(void)
{
	*(volatile char *)next_fault = 1;
	next_fault += PAGE;
}

static void op_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	expect(pid > 0 && waitpid(pid, NULL, 0) == pid, "fork");
}

/* Calls op n times. Returns the instructions for each call. */
static unsigned long measure(void (*op)(void), unsigned n)
{
	unsigned long begin;

	for (unsigned i = 0; i < n / 10 + 2; i++)
		op();
	begin = __rdtsc();
	for (unsigned i = 0; i < n; i++)
		op();
	return (__rdtsc() - begin) / n;
}

/* The pages go afterwards, so that fork() does not copy them. */
static unsigned long measure_fault(unsigned n)
{
	size_t size = (n + n / 10 + 2) * PAGE; /* as often as measure() calls it */
	char *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	unsigned long each;

	expect(area != MAP_FAILED, "mmap");
	/* Linux: small pages, as small programs get. nop5 has no others. */
	madvise(area, size, MADV_NOHUGEPAGE);
	next_fault = area;
	each = measure(op_fault, n);
	munmap(area, size);
	return each;
}

/* Two processes pass a byte through two pipes. Each round is two switches. */
static unsigned long measure_pipe(unsigned n)
{
	int there[2], back[2];
	unsigned long begin = 0;
	char byte = 'x';
	pid_t pid;

	expect(!pipe(there) && !pipe(back), "pipe");
	pid = fork();
	if (!pid) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1)
			write(back[1], &byte, 1);
		_exit(0);
	}
	for (unsigned i = 0; i < n + n / 10; i++) {
		if (i == n / 10)
			begin = __rdtsc();
		expect(write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1, "pipe");
	}
	begin = __rdtsc() - begin;
	close(there[1]);
	waitpid(pid, NULL, 0);
	close(there[0]);
	close(back[0]);
	close(back[1]);
	return begin / (2 * n);
}
