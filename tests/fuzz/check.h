/* An assertion of a fuzzer. libFuzzer reports the abort with the input that led to it. */
#pragma once

#include <stdlib.h>

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond))                                                                       \
			abort();                                                                   \
	} while (0)
