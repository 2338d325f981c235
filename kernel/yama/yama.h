/* What kernel.yama.ptrace_scope in /proc/sys says: see yama.c. */
#pragma once

/* Linux's values. */
#define YAMA_SCOPE_DISABLED   0
#define YAMA_SCOPE_RELATIONAL 1
#define YAMA_SCOPE_CAPABILITY 2
#define YAMA_SCOPE_NO_ATTACH  3

int yama_scope(void);
/* 0; -EINVAL: there is no such value, or NO_ATTACH is in effect and stays. Task context. */
int yama_set_scope(int value);
