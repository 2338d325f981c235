/*
 * The states that the verifier walked, kept to be compared with real runs. For fuzz_bpf_verifier.
 */
#pragma once

#include "tests/fuzz/bpf_machine.h"
#include "trace/bpf/verifier/verifier.h"

/* Keeps the state that the verifier is about to walk on from. A `watch` of the log. */
void states_keep(struct bpf_verifier_env *env);
/*
 * Ends the fuzzer unless one of the states that were kept for the instruction describes the machine:
 * each register that is read later, each initialised byte of the stack, the references. An `observe` of
 * the machine.
 */
void states_check(const struct machine *m, u32 pc);
/* How many states were kept. */
u32 states_kept(void);
void states_free(void);
