/* The host's stacktrace.h. */
#pragma once

void dump_stack(void);
