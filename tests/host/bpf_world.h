/*
 * What the verifier of eBPF needs around it on the host: maps of many types that exist as descriptors
 * but hold nothing, the real prototypes of the helpers with functions that are never called, a log in
 * memory. For host tests and the fuzzer.
 */
#pragma once

#include "tests/host/bpf_maps.h"
#include "trace/bpf/core/btf.h"
#include "trace/bpf/core/map.h"
#include "trace/bpf/core/prog.h"
#include "trace/bpf/helpers/helpers.h"
#include "trace/bpf/verifier/verifier.h"

extern const char world_rdonly_value[32];

struct bpf_map *world_map(int fd);

/* One check of a program. Zeroed, but for what the caller sets, before world_check(). */
struct world_check {
	enum bpf_prog_type type; /* 0: KPROBE */
	u32 flags;               /* prog_flags */
	u32 log_level;
	bool no_btf; /* the functions of the program have no types */
	bool global; /* all but the first are global, and take an int and an int * */
	void (*watch)(struct bpf_verifier_log *log, struct bpf_verifier_env *env);
	void *data; /* of watch: log->data is the world_check */
	/* results */
	struct bpf_prog prog;
	size_t log_len;
	char log[1 << 16];
};

/*
 * Copies the instructions and checks them: the result of bpf_check(). prog is as it left it, with the
 * instructions that it rewrote, until world_end().
 */
int world_check(struct world_check *check, const struct bpf_insn *insns, u32 len);
void world_end(struct world_check *check);
/* 0, or so many pieces of memory are not given up. */
long world_leaks(void);
/* While true, a fatal signal waits for the task that checks. */
extern bool world_interrupted;
