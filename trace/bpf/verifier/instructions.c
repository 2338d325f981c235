/*
 * The program's instructions, each by itself, and the ways between them: known opcodes, fields that
 * are not used are 0, registers exist, jumps lead to instructions of the same function, each
 * instruction can be reached. Loops are allowed: the walk ends them.
 */
#include "kernel/errno.h"
#include "kernel/mm/vmalloc.h"
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
		if (op == BPF_JA)
			return BPF_SRC(code) == BPF_K;
		return op != BPF_CALL && op != BPF_EXIT && op <= BPF_JSLE;
	case BPF_LD:
		if (mode == BPF_IMM)
			return size == BPF_DW;
		return (mode == BPF_ABS || mode == BPF_IND) && size != BPF_DW;
	case BPF_LDX: /* its mode is a field that must be BPF_MEM: check_fields() */
		return true;
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
		if (insn->src_reg || insn->dst_reg ||
		    (BPF_CLASS(insn->code) == BPF_JMP32 ? insn->off : insn->imm))
			return "BPF_JA";
		return NULL;
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
		return BPF_MODE(insn->code) != BPF_MEM || insn->imm ? "BPF_LDX" : NULL;
	case BPF_ST:
		return insn->src_reg ? "BPF_ST" : NULL;
	default: /* BPF_STX; an atomic one has its operation in imm: check_atomic() */
		return BPF_MODE(insn->code) == BPF_MEM && insn->imm ? "BPF_STX" : NULL;
	}
}

static int check_registers(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	/* Where src_reg is no register, it is the kind of a constant or a call, and less. */
	u32 regno = max((u32)insn->dst_reg, (u32)insn->src_reg);

	if (regno < MAX_BPF_REG)
		return 0;
	return refuse(env, -EINVAL, "R%u is invalid\n", regno);
}

/* Operands that have no meaning. */
static int check_constant(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	u8 class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);
	s32 bits = class == BPF_ALU64 ? 64 : 32;

	if ((class != BPF_ALU && class != BPF_ALU64) || BPF_SRC(insn->code) != BPF_K)
		return 0;
	if ((op == BPF_MOD || op == BPF_DIV) && !insn->imm)
		return refuse(env, -EINVAL, "div by zero\n");
	if ((op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) &&
	    (insn->imm < 0 || insn->imm >= bits))
		return refuse(env, -EINVAL, "invalid shift %d\n", insn->imm);
	return 0;
}

static int check_instruction(struct bpf_verifier_env *env, u32 i)
{
	const struct bpf_insn *insn = &env->insns[i];
	const char *name;
	int err;

	if (!is_known_opcode(insn->code))
		return refuse(env, -EINVAL, "unknown opcode %02x\n", insn->code);
	name = check_fields(insn);
	if (name)
		return refuse(env, -EINVAL, "%s uses reserved fields\n", name);
	err = check_registers(env, insn);
	return err ?: check_constant(env, insn);
}

/* LD | IMM | DW with its second half. */
static int check_ld_imm64(struct bpf_verifier_env *env, u32 i)
{
	const struct bpf_insn *half = &env->insns[i + 1];

	if (i + 1 < env->prog->len && !half->code && !half->dst_reg && !half->src_reg && !half->off)
		return 0;
	return refuse(env, -EINVAL, "invalid bpf_ld_imm64 insn\n");
}

int bpf_check_opcodes(struct bpf_verifier_env *env)
{
	for (u32 i = 0; i < env->prog->len; i++) {
		bool is_double = bpf_insn_is_ld_imm64(&env->insns[i]);
		int err = is_double ? check_ld_imm64(env, i) : 0;

		err = err ?: check_instruction(env, i);
		if (err)
			return err;
		i += is_double;
	}
	return 0;
}

/* ---- the ways between them ---- */

/*
 * The search, depth first: instructions from the first one to the present one, each with the number
 * of its ways that were looked at.
 */
struct search {
	struct {
		u32 insn, ways;
	} * path;
	u32 depth;
};

enum { NOT_FOUND, ON_PATH, DONE };

struct way {
	u32 to;
	bool may_be_back; /* a way that leads back to the path is a loop */
};

/*
 * The n-th way from an instruction. False: there is no more. Jumps may lead back. What is called
 * may not: that is a recursion. Nor may the next instruction: as in Linux, a loop is entered at its
 * top.
 */
static bool nth_way(const struct bpf_verifier_env *env, u32 i, u32 n, struct way *way)
{
	const struct bpf_insn *insn = &env->insns[i];
	bool is_jump = bpf_insn_is_jump(insn), is_call = bpf_insn_is_pseudo_call(insn);

	if (insn->code == (BPF_JMP | BPF_EXIT))
		return false;
	if (is_jump && BPF_OP(insn->code) == BPF_JA)
		n++; /* it has no next instruction */
	way->may_be_back = is_jump || bpf_insn_is_pseudo_func(insn);
	if (n == 0) {
		way->to = i + (bpf_insn_is_ld_imm64(insn) ? 2 : 1);
		way->may_be_back = is_jump;
	} else if (is_jump) {
		way->to = bpf_jump_target(insn, i);
	} else {
		way->to = i + 1 + (u32)insn->imm;
	}
	return n == 0 || (n == 1 && (is_jump || is_call || bpf_insn_is_pseudo_func(insn)));
}

/* States are kept, and looked for, where ways meet and where they part. */
static void mark_prune_points(struct bpf_verifier_env *env, u32 i)
{
	const struct bpf_insn *insn = &env->insns[i];

	if (bpf_insn_is_jump(insn)) {
		env->aux[bpf_jump_target(insn, i)].prune_point = true;
		if (BPF_OP(insn->code) != BPF_JA)
			env->aux[i].prune_point = true;
	} else if (insn->code == (BPF_JMP | BPF_CALL)) {
		env->aux[i].calls_callback = bpf_calls_callback(env, insn);
		if (env->aux[i].calls_callback || insn->src_reg == BPF_PSEUDO_CALL)
			env->aux[i].prune_point = true;
		if (i + 1 < env->prog->len)
			env->aux[i + 1].prune_point = true;
	}
}

static int search_way(struct bpf_verifier_env *env, struct search *search, u32 from,
		      const struct way *way)
{
	struct bpf_insn_aux_data *aux;

	if (way->to >= env->prog->len)
		return refuse(env, -EINVAL, "jump out of range from insn %u to %u\n", from,
			      way->to);
	aux = &env->aux[way->to];
	if (aux->search == ON_PATH && !way->may_be_back)
		return refuse(env, -EINVAL, "back-edge from insn %u to %u\n", from, way->to);
	if (aux->search != NOT_FOUND)
		return 0;
	aux->search = ON_PATH;
	search->path[search->depth].ways = 0;
	search->path[search->depth++].insn = way->to;
	return 0;
}

static int check_reached(struct bpf_verifier_env *env)
{
	for (u32 i = 0; i < env->prog->len; i++) {
		if (env->aux[i].search == NOT_FOUND)
			return refuse(env, -EINVAL, "unreachable insn %u\n", i);
		mark_prune_points(env, i);
		if (!bpf_insn_is_ld_imm64(&env->insns[i]))
			continue;
		if (env->aux[++i].search != NOT_FOUND)
			return refuse(env, -EINVAL, "jump into the middle of ldimm64 insn %u\n",
				      i - 1);
	}
	return 0;
}

int bpf_check_ways(struct bpf_verifier_env *env)
{
	struct search search = { 0 };
	struct way way = { .to = 0 };
	int err;

	search.path = kvzalloc(env->prog->len * sizeof(*search.path), GFP_KERNEL);
	if (!search.path)
		return -ENOMEM;
	err = search_way(env, &search, 0, &way);
	while (!err && search.depth) {
		u32 i = search.path[search.depth - 1].insn;

		if (nth_way(env, i, search.path[search.depth - 1].ways++, &way)) {
			err = search_way(env, &search, i, &way);
		} else {
			env->aux[i].search = DONE;
			search.depth--;
		}
	}
	kvfree(search.path);
	return err ?: check_reached(env);
}
