/*
 * Which registers matter: those that some way from an instruction on reads before it writes them.
 * The others need not be alike in states that are compared. This is a property of the program
 * alone, computed backwards: a register is live before an instruction if the instruction reads it,
 * or if it is live before one of the next instructions and this one does not write it.
 */
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

#define ALL_REGS (u16)((1U << MAX_BPF_REG) - 1)

/* The registers that are live after an instruction: before one of the next. */
static u16 live_after(const struct bpf_verifier_env *env, u32 insn_idx)
{
	const struct bpf_insn *insn = &env->insns[insn_idx];
	u32 next = insn_idx + 1;
	u16 live = 0;

	if (bpf_insn_is_jump(insn))
		live = env->aux[bpf_jump_target(insn, insn_idx)].live_regs;
	if (insn->code == (BPF_JMP | BPF_EXIT) || bpf_insn_is_ja(insn))
		return live;
	if (bpf_insn_is_ld_imm64(insn))
		next++;
	return live | env->aux[next].live_regs;
}

/*
 * Each round brings what is live one loop further up. A program with more loops inside each other
 * than that has been made to take time: all of its registers are taken to be live, which is safe.
 */
#define MAX_ROUNDS 100

void bpf_compute_liveness(struct bpf_verifier_env *env)
{
	bool changed = true;

	for (u32 round = 0; changed; round++) {
		changed = false;
		for (u32 i = env->prog->len; i-- > 0;) {
			u16 use, def, live;

			if (!env->insns[i].code) /* the second half of a constant */
				continue;
			bpf_insn_regs(env, i, &use, &def);
			live = use | (live_after(env, i) & ~def);
			if (round >= MAX_ROUNDS)
				live = ALL_REGS;
			if (live == env->aux[i].live_regs)
				continue;
			env->aux[i].live_regs = live;
			changed = true;
		}
	}
}
