/* The tracepoints of the self-tests: selftest/kernel/tracepoint.c, selftest/bench/tracepoint.c. */
#pragma once

#include "kernel/tracepoint.h"

DECLARE_TRACE(selftest_number, TP_PROTO(unsigned long number), TP_ARGS(number));
DECLARE_TRACE(selftest_even, TP_PROTO(unsigned long number), TP_ARGS(number));
DECLARE_TRACE(selftest_fn, TP_PROTO(unsigned long number, const char *text),
	      TP_ARGS(number, text));
DECLARE_TRACE(selftest_many_0, TP_PROTO(unsigned long number), TP_ARGS(number));
DECLARE_TRACE(selftest_many_1, TP_PROTO(unsigned long number), TP_ARGS(number));
DECLARE_TRACE(selftest_many_2, TP_PROTO(unsigned long number), TP_ARGS(number));
DECLARE_TRACE(selftest_many_3, TP_PROTO(unsigned long number), TP_ARGS(number));
DECLARE_TRACE(bench_0, TP_PROTO(unsigned long number), TP_ARGS(number));
DECLARE_TRACE(bench_1, TP_PROTO(unsigned long number), TP_ARGS(number));
DECLARE_TRACE(bench_2, TP_PROTO(unsigned long number), TP_ARGS(number));
