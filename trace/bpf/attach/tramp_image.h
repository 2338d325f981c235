/* The code of trampolines, for trampoline.c. Task context. */
#pragma once

#include "arch/bpf/trampoline.h"

struct bpf_tramp_image;

/* Makes the code of a plan. It counts the programs. id: for its name. NULL: no memory. */
struct bpf_tramp_image *bpf_tramp_image_create(struct bpf_tramp_plan *plan, u32 id);
/* Where calls of the function go. */
struct ftrace_direct_code bpf_tramp_image_entry(const struct bpf_tramp_image *image);
/* No site leads to it any more: frees it and its programs once no task is in it. Does not wait. */
void bpf_tramp_image_retire(struct bpf_tramp_image *image);
