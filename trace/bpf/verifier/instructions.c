/*
 * The program's instructions: one table says which there are, which fields they use, and which
 * registers they read and write. Each by itself, before the walk: the opcode is known, fields that
 * are not used are 0, registers exist. The ways between them: jumps lead to instructions, and each
 * instruction can be reached. Loops are allowed: the walk ends them. And in the walk: what an
 * instruction reads was written before, and R10 is never written.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

/* ---- the instructions, and what they read and write ---- */

/* Bits: registers by their numbers, then those that the fields name, and fields. */
#define R(regno) (1U << (regno))
enum {
	LOST = 0x3f, /* R0 to R5: in a call */
	ARGUMENTS = LOST & ~R(0),
	DST = R(MAX_BPF_REG),
	SRC = DST << 1,
	OFF = DST << 2,
	IMM = DST << 3,
	ALL = DST | SRC | OFF | IMM,
};

#define C(class) (1 << BPF_##class)
#define ALUS     (C(ALU) | C(ALU64))
#define JMPS     (C(JMP) | C(JMP32))

/* Instructions of these classes whose code, in the bits of mask, is code. */
struct bpf_form {
	u8 classes, mask, code;
	u16 fields;        /* that it uses: the others are 0 */
	u16 reads, writes; /* registers */
	const char *name;  /* after BPF_. NULL: there is no such instruction */
};

#define NO_SUCH 0, 0, 0, NULL

/* The first one that fits. Of a call, reads has the arguments that are not known better. */
/* clang-format off */
static const struct bpf_form forms[] = {
	{ ALUS,     0xf8, BPF_NEG,             DST,             DST,        DST,  "NEG" },
	{ ALUS,     0xf0, BPF_NEG,             NO_SUCH },
	{ C(ALU),   0xf0, BPF_END,             DST | IMM,       DST,        DST,  "END" },
	{ C(ALU64), 0xf0, BPF_END,             NO_SUCH },
	{ ALUS,     0xe0, 0xe0,                NO_SUCH },
	{ ALUS,     0xf8, BPF_MOV | BPF_K,     DST | IMM,       0,          DST,  "MOV" },
	{ ALUS,     0xf8, BPF_MOV | BPF_X,     DST | SRC,       SRC,        DST,  "MOV" },
	{ ALUS,     0x08, BPF_K,               DST | IMM,       DST,        DST,  "ALU" },
	{ ALUS,     0x08, BPF_X,               DST | SRC,       DST | SRC,  DST,  "ALU" },
	{ C(JMP),   0xf8, BPF_CALL,            SRC | IMM,       ARGUMENTS,  LOST, "CALL" },
	{ C(JMP),   0xf8, BPF_EXIT,            OFF,             R(0),       0,    "EXIT" },
	{ C(JMP),   0xf8, BPF_JA,              OFF,             0,          0,    "JA" },
	{ C(JMP32), 0xf8, BPF_JA,              IMM,             0,          0,    "JA" },
	{ JMPS,     0xf0, BPF_JA,              NO_SUCH },
	{ JMPS,     0xf0, BPF_CALL,            NO_SUCH },
	{ JMPS,     0xf0, BPF_EXIT,            NO_SUCH },
	{ JMPS,     0xe0, 0xe0,                NO_SUCH },
	{ JMPS,     0x08, BPF_K,               DST | OFF | IMM, DST,        0,    "JMP/JMP32" },
	{ JMPS,     0x08, BPF_X,               DST | SRC | OFF, DST | SRC,  0,    "JMP/JMP32" },
	{ C(LD),    0xf8, BPF_IMM | BPF_DW,    DST | SRC | IMM, 0,          DST,  "LD_IMM64" },
	{ C(LD),    0x18, BPF_DW,              NO_SUCH },
	{ C(LD),    0xe0, BPF_ABS,             IMM,             R(6),       LOST, "LD_[ABS|IND]" },
	{ C(LD),    0xe0, BPF_IND,             SRC | IMM,       R(6) | SRC, LOST, "LD_[ABS|IND]" },
	{ C(LDX),   0,    0,                   DST | SRC | OFF, SRC,        DST,  "LDX" },
	{ C(ST),    0xe0, BPF_MEM,             DST | OFF | IMM, DST,        0,    "ST" },
	{ C(STX),   0xe0, BPF_MEM,             DST | SRC | OFF, DST | SRC,  0,    "STX" },
	{ C(STX),   0xf8, BPF_ATOMIC | BPF_W,  ALL,             DST | SRC,  0,    "ATOMIC" },
	{ C(STX),   0xf8, BPF_ATOMIC | BPF_DW, ALL,             DST | SRC,  0,    "ATOMIC" },
};
/* clang-format on */

/* NULL: there is none. */
static const struct bpf_form *find_form(u8 code)
{
	for (u32 i = 0; i < ARRAY_SIZE(forms); i++)
		if (forms[i].classes >> BPF_CLASS(code) & 1 &&
		    (code & forms[i].mask) == forms[i].code)
			return forms[i].name ? &forms[i] : NULL;
	return NULL;
}

/* The registers of the arguments that a helper takes. */
static u16 argument_regs(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	const struct bpf_func_proto *proto = NULL;
	u16 regs = 0;

	if (bpf_insn_is_helper_call(insn))
		proto = bpf_get_func_proto((u32)insn->imm, env->prog);
	if (!proto)
		return ARGUMENTS;
	for (u32 i = 0; i < MAX_BPF_FUNC_REG_ARGS; i++)
		if (proto->arg_type[i] != ARG_DONTCARE)
			regs |= R(BPF_REG_1 + i);
	return regs;
}

static u16 registers(const struct bpf_insn *insn, u16 bits)
{
	return (u16)((bits & (DST - 1)) | (bits & DST ? R(insn->dst_reg) : 0) |
		     (bits & SRC ? R(insn->src_reg) : 0));
}

void bpf_insn_regs(struct bpf_verifier_env *env, u32 insn_idx, u16 *use, u16 *def)
{
	const struct bpf_insn *insn = &env->insns[insn_idx];
	const struct bpf_form *form = env->aux[insn_idx].form;

	*use = registers(insn, form->reads);
	*def = registers(insn, form->writes);
	if (insn->code == (BPF_JMP | BPF_CALL)) {
		*use = argument_regs(env, insn);
	} else if (bpf_insn_is_atomic(insn) && insn->imm == BPF_CMPXCHG) {
		*use |= R(0);
		*def = R(0);
	} else if (bpf_insn_is_atomic(insn) && insn->imm & BPF_FETCH) {
		*def = (u16)R(insn->src_reg);
	}
}

int check_reg_read(struct bpf_verifier_env *env, u32 regno)
{
	if (cur_regs(env)[regno].type == NOT_INIT)
		return refuse(env, -EACCES, "R%u !read_ok\n", regno);
	return 0;
}

int check_operands(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	/* The last two are read by CMPXCHG, and by loads from a packet. */
	u32 regs[] = { insn->src_reg, insn->dst_reg, BPF_REG_0, BPF_REG_6 };
	u16 use, def;
	int err = 0;

	bpf_insn_regs(env, env->insn_idx, &use, &def);
	for (u32 i = 0; i < ARRAY_SIZE(regs) && !err; i++)
		if (use & R(regs[i]))
			err = check_reg_read(env, regs[i]);
	if (!err && def & R(BPF_REG_FP))
		return refuse(env, -EACCES, "frame pointer is read only\n");
	return err;
}

/* ---- each by itself, before the walk ---- */

/* Whether a field that the instruction does not use is not 0, or one has no meaning. */
static bool uses_reserved_fields(const struct bpf_insn *insn, u16 fields)
{
	if ((insn->dst_reg && !(fields & DST)) || (insn->src_reg && !(fields & SRC)) ||
	    (insn->off && !(fields & OFF)) || (insn->imm && !(fields & IMM)))
		return true;
	if (BPF_CLASS(insn->code) == BPF_LDX)
		return BPF_MODE(insn->code) != BPF_MEM;
	if (insn->code == (BPF_JMP | BPF_CALL))
		return insn->src_reg > BPF_PSEUDO_KFUNC_CALL;
	if ((insn->code & ~BPF_X) == (BPF_ALU | BPF_END))
		return insn->imm != 16 && insn->imm != 32 && insn->imm != 64;
	return false;
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
	const struct bpf_form *form = find_form(insn->code);
	/* Where src_reg is no register, it is the kind of a constant or a call, and less. */
	u32 regno = max((u32)insn->dst_reg, (u32)insn->src_reg);

	env->aux[i].form = form;
	if (bpf_insn_is_ld_imm64(insn) && (i + 1 == env->prog->len || insn[1].code ||
					   insn[1].dst_reg || insn[1].src_reg || insn[1].off))
		return refuse(env, -EINVAL, "invalid bpf_ld_imm64 insn\n");
	if (!form)
		return refuse(env, -EINVAL, "unknown opcode %02x\n", insn->code);
	if (uses_reserved_fields(insn, form->fields))
		return refuse(env, -EINVAL, "BPF_%s uses reserved fields\n", form->name);
	if (regno >= MAX_BPF_REG)
		return refuse(env, -EINVAL, "R%u is invalid\n", regno);
	return check_constant(env, insn);
}

int bpf_check_opcodes(struct bpf_verifier_env *env)
{
	int err = 0;

	for (u32 i = 0; i < env->prog->len && !err; i++) {
		err = check_instruction(env, i);
		i += bpf_insn_is_ld_imm64(&env->insns[i]);
	}
	return err;
}

/* ---- the ways between them ---- */

/*
 * The search, depth first: each instruction knows the one from which it was found, and how many of
 * its ways were looked at.
 */
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
	if (bpf_insn_is_ja(insn))
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

/* Whether the instruction calls a helper that calls back. */
static bool calls_callback(const struct bpf_insn *insn)
{
	return bpf_insn_is_helper_call(insn) &&
	       (insn->imm == BPF_FUNC_for_each_map_elem || insn->imm == BPF_FUNC_loop);
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
		env->aux[i].calls_callback = calls_callback(insn);
		if (env->aux[i].calls_callback || insn->src_reg == BPF_PSEUDO_CALL)
			env->aux[i].prune_point = true;
		if (i + 1 < env->prog->len)
			env->aux[i + 1].prune_point = true;
	}
}

/* Goes on at the end of the way, if it is new. */
static int follow(struct bpf_verifier_env *env, u32 *i, const struct way *way)
{
	struct bpf_insn_aux_data *aux;

	if (way->to >= env->prog->len)
		return refuse_way(env, "jump out of range", *i, way->to);
	aux = &env->aux[way->to];
	if (aux->search == ON_PATH && !way->may_be_back)
		return refuse_way(env, "back-edge", *i, way->to);
	if (aux->search != NOT_FOUND)
		return 0;
	aux->search = ON_PATH;
	aux->found_from = *i;
	*i = way->to;
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
	struct way way;
	u32 i = 0;
	int err = 0;

	env->aux[0].search = ON_PATH;
	while (!err && env->aux[0].search == ON_PATH) {
		if (nth_way(env, i, env->aux[i].ways++, &way)) {
			err = follow(env, &i, &way);
		} else {
			env->aux[i].search = DONE;
			i = env->aux[i].found_from;
		}
	}
	return err ?: check_reached(env);
}
