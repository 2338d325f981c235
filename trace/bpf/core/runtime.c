/* What runs a program: the interpreter, or code that the JIT has made of it. */
#include "kernel/compiler.h"
#include "trace/bpf/core/prog.h"

u64 bpf_call_callback(const void *callback, u64 r1, u64 r2, u64 r3, u64 r4, u64 r5)
{
	return bpf_interpret_callback(callback, r1, r2, r3, r4, r5);
}

int bpf_jit_enable = 1;

int bpf_prog_select_runtime(struct bpf_prog *prog)
{
	prog->bpf_func = bpf_interpret;
	return 0;
}

void bpf_prog_free_runtime(struct bpf_prog *prog __unused)
{
}
