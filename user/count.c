/*
 * count: a program to try a debugger on. It has frame pointers, and does the same each time.
 *
 *	count [N]    counts the calls of factorial(N), adds 1 for each in tick(), and ends with the status 7
 */
#pragma GCC optimize("O0")
#include <stdio.h>
#include <stdlib.h>

long counter;

__attribute__((noinline)) void tick(void)
{
	counter++;
}

__attribute__((noinline)) long factorial(long n)
{
	tick();
	return n < 2 ? 1 : n * factorial(n - 1);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 3;
	long result = factorial(n);

	printf("factorial(%ld) = %ld, %ld calls\n", n, result, counter);
	return 7;
}
