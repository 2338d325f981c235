/* cmocka and the headers that it needs. Every host test includes it first. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* How many random inputs a test tries: 30 % of n, or TEST_PERCENT % of it. `make soak` tries four times n. */
static inline unsigned tries(unsigned n)
{
	const char *percent = getenv("TEST_PERCENT");

	return (unsigned)((unsigned long long)n * (percent ? strtoul(percent, NULL, 10) : 30) / 100);
}
