/* PROG_LOAD, among its files. Task context; 0 or an errno, the reason in the log. */
#pragma once

#include "trace/bpf/syscall/log.h"
#include "trace/bpf/syscall/objects.h"

/* debug_info.c: sets btf, func_info, line_info from what the program passes. */
int bpf_read_debug_info(struct bpf_prog *prog, const union bpf_attr *attr,
			struct bpf_verifier_log *log);
