/*
 * The program's instructions, each by itself, and the ways between them: known opcodes, fields that
 * are not used are 0, registers exist, jumps lead to instructions of the same function, each
 * instruction can be reached. Loops are allowed: the walk ends them.
 */
#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/verifier/verifier.h"

/* ---- each by itself ---- */

static bool is_known_opcode(u8 code)
{
	u8 op = BPF_OP(code), mode = BPF_MODE(code), size = BPF_SIZE(code);

	switch (BPF_CLASS(code)) {
	case BPF_ALU:
		return op <= BPF_END && code != (BPF_ALU | BPF_NEG | BPF_X);
	case BPF_ALU64:
		return op < BPF_END && code != (BPF_ALU64 | BPF_NEG | BPF_X);
	case BPF_JMP:
		if (op == BPF_JA || op == BPF_CALL || op == BPF_EXIT)
			return BPF_SRC(code) == BPF_K;
		return op <= BPF_JSLE;
	case BPF_JMP32:
		return op != BPF_JA && op != BPF_CALL && op != BPF_EXIT && op <= BPF_JSLE;
	case BPF_LD:
		if (mode == BPF_IMM)
			return size == BPF_DW;
		return (mode == BPF_ABS || mode == BPF_IND) && size != BPF_DW;
	case BPF_LDX:
	case BPF_ST:
		return mode == BPF_MEM;
	default: /* BPF_STX */
		if (mode == BPF_ATOMIC)
			return size == BPF_W || size == BPF_DW;
		return mode == BPF_MEM;
	}
}

/* The fields that an instruction of this kind does not use are 0. */
static const char *check_alu_fields(const struct bpf_insn *insn)
{
	bool from_reg = BPF_SRC(insn->code) == BPF_X;

	switch (BPF_OP(insn->code)) {
	case BPF_NEG:
		return insn->src_reg || insn->off || insn->imm ? "BPF_NEG" : NULL;
	case BPF_END:
		if (insn->src_reg || insn->off ||
		    (insn->imm != 16 && insn->imm != 32 && insn->imm != 64))
			return "BPF_END";
		return NULL;
	default:
		if (insn->off || (from_reg ? insn->imm : insn->src_reg))
			return BPF_OP(insn->code) == BPF_MOV ? "BPF_MOV" : "BPF_ALU";
		return NULL;
	}
}

static const char *check_jmp_fields(const struct bpf_insn *insn)
{
	switch (BPF_OP(insn->code)) {
	case BPF_CALL:
		if (insn->off || insn->dst_reg || insn->src_reg > BPF_PSEUDO_KFUNC_CALL)
			return "BPF_CALL";
		return NULL;
	case BPF_JA:
		return insn->src_reg || insn->dst_reg || insn->imm ? "BPF_JA" : NULL;
	case BPF_EXIT:
		return insn->src_reg || insn->dst_reg || insn->imm ? "BPF_EXIT" : NULL;
	default:
		if (BPF_SRC(insn->code) == BPF_X ? insn->imm : insn->src_reg)
			return "BPF_JMP/JMP32";
		return NULL;
	}
}

/* NULL, or the instruction's name for the message. */
static const char *check_fields(const struct bpf_insn *insn)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return check_alu_fields(insn);
	case BPF_JMP:
	case BPF_JMP32:
		return check_jmp_fields(insn);
	case BPF_LD:
		if (BPF_MODE(insn->code) == BPF_IMM)
			return insn->off ? "BPF_LD_IMM64" : NULL;
		if (insn->dst_reg || insn->off ||
		    (BPF_MODE(insn->code) == BPF_ABS && insn->src_reg))
			return "BPF_LD_[ABS|IND]";
		return NULL;
	case BPF_LDX:
		return insn->imm ? "BPF_LDX" : NULL;
	case BPF_ST:
		return insn->src_reg ? "BPF_ST" : NULL;
	default: /* BPF_STX; an atomic one has its operation in imm: check_atomic() */
		return BPF_MODE(insn->code) == BPF_MEM && insn->imm ? "BPF_STX" : NULL;
	}
}

static int check_registers(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	u8 class = BPF_CLASS(insn->code);

	if (insn->dst_reg >= MAX_BPF_REG) {
		verbose(env, "R%d is invalid\n", insn->dst_reg);
		return -EINVAL;
	}
	/* In other places src_reg is 0, or the kind of a constant or a call. */
	if (insn->src_reg >= MAX_BPF_REG) {
		verbose(env, "R%d is invalid\n", insn->src_reg);
		return -EINVAL;
	}
	/* The frame is written by R10, never R10 itself. */
	if (insn->dst_reg == BPF_REG_FP && (class == BPF_ALU || class == BPF_ALU64 ||
					    class == BPF_LDX || bpf_insn_is_ld_imm64(insn))) {
		verbose(env, "frame pointer is read only\n");
		return -EACCES;
	}
	return 0;
}

/* Operands that have no meaning. */
static int check_constant(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	u8 class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);
	s32 bits = class == BPF_ALU64 ? 64 : 32;

	if ((class != BPF_ALU && class != BPF_ALU64) || BPF_SRC(insn->code) != BPF_K)
		return 0;
	if ((op == BPF_MOD || op == BPF_DIV) && !insn->imm) {
		verbose(env, "div by zero\n");
		return -EINVAL;
	}
	if ((op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) &&
	    (insn->imm < 0 || insn->imm >= bits)) {
		verbose(env, "invalid shift %d\n", insn->imm);
		return -EINVAL;
	}
	return 0;
}

static int check_instruction(struct bpf_verifier_env *env, u32 i)
{
	const struct bpf_insn *insn = &env->insns[i];
	const char *name;
	int err;

	if (!is_known_opcode(insn->code)) {
		verbose(env, "unknown opcode %02x\n", insn->code);
		return -EINVAL;
	}
	name = check_fields(insn);
	if (name) {
		verbose(env, "%s uses reserved fields\n", name);
		return -EINVAL;
	}
	err = check_registers(env, insn);
	return err ?: check_constant(env, insn);
}

int bpf_check_opcodes(struct bpf_verifier_env *env)
{
	for (u32 i = 0; i < env->prog->len; i++) {
		const struct bpf_insn *insn = &env->insns[i];
		int err = check_instruction(env, i);

		if (err)
			return err;
		if (!bpf_insn_is_ld_imm64(insn))
			continue;
		if (i + 1 == env->prog->len || insn[1].code || insn[1].dst_reg || insn[1].src_reg ||
		    insn[1].off) {
			verbose(env, "invalid bpf_ld_imm64 insn\n");
			return -EINVAL;
		}
		i++;
	}
	return 0;
}

/* ---- the ways between them ---- */

/* The search: instructions that were found and whose next ones are still to be looked at. */
struct search {
	u32 *pending;
	u32 nr;
};

/*
 * The instruction can be reached. Each is found once, so there is room. A state is kept and looked
 * for where ways meet.
 */
static int found(struct bpf_verifier_env *env, struct search *search, u32 from, u32 to)
{
	if (to >= env->prog->len) {
		verbose(env, "jump out of range from insn %u to %u\n", from, to);
		return -EINVAL;
	}
	if (!env->aux[to].found) {
		env->aux[to].found = true;
		search->pending[search->nr++] = to;
	}
	return 0;
}

static int look_at(struct bpf_verifier_env *env, struct search *search, u32 i)
{
	const struct bpf_insn *insn = &env->insns[i];
	u8 class = BPF_CLASS(insn->code);
	u32 next = i + (bpf_insn_is_ld_imm64(insn) ? 2 : 1), target;
	bool is_jmp = class == BPF_JMP || class == BPF_JMP32;
	int err;

	if (is_jmp && BPF_OP(insn->code) == BPF_EXIT)
		return 0;
	if (bpf_insn_is_pseudo_call(insn) || bpf_insn_is_pseudo_func(insn)) {
		err = found(env, search, i, i + 1 + (u32)insn->imm);
		if (err)
			return err;
	}
	if (is_jmp && BPF_OP(insn->code) == BPF_CALL) {
		env->aux[i].calls_callback = bpf_calls_callback(env, insn);
		env->aux[i].prune_point = env->aux[i].calls_callback || insn->src_reg;
		if (next < env->prog->len)
			env->aux[next].prune_point = true;
	}
	if (bpf_insn_is_jump(insn)) {
		target = bpf_jump_target(insn, i);
		err = found(env, search, i, target);
		if (err)
			return err;
		env->aux[target].prune_point = true;
		if (BPF_OP(insn->code) == BPF_JA)
			return 0;
		env->aux[i].prune_point = true;
	}
	return found(env, search, i, next);
}

static int check_reached(struct bpf_verifier_env *env)
{
	for (u32 i = 0; i < env->prog->len; i++) {
		if (!env->aux[i].found) {
			verbose(env, "unreachable insn %u\n", i);
			return -EINVAL;
		}
		if (!bpf_insn_is_ld_imm64(&env->insns[i]))
			continue;
		if (env->aux[++i].found) {
			verbose(env, "jump into the middle of ldimm64 insn %u\n", i - 1);
			return -EINVAL;
		}
	}
	return 0;
}

int bpf_check_ways(struct bpf_verifier_env *env)
{
	struct search search = { 0 };
	int err;

	search.pending = kmalloc_array(env->prog->len, sizeof(*search.pending), GFP_KERNEL);
	if (!search.pending)
		return -ENOMEM;
	err = found(env, &search, 0, 0);
	while (!err && search.nr)
		err = look_at(env, &search, search.pending[--search.nr]);
	kfree(search.pending);
	return err ?: check_reached(env);
}
