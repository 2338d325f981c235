/* Functions that the tracing self-tests trace. */
#pragma once

unsigned ftrace_target_add(unsigned a, unsigned b);
void ftrace_target_other(void);
