/* The names of helpers, for the verifier's log and the disassembler. Pure. */
#include "kernel/compiler.h"
#include "trace/bpf/helpers/numbers.h"

#define NAME(name) "bpf_" #name,
static const char *const names[] = { BPF_FUNC_NAMES(NAME) };

const char *bpf_func_name(u32 id)
{
	return id < ARRAY_SIZE(names) ? names[id] : "unknown";
}
