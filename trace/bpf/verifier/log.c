/*
 * What the user reads: the log of the verifier, in the words of Linux, because tools look for some of
 * them and people know them.
 */
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "trace/bpf/verifier/verifier.h"

void verbose(struct bpf_verifier_env *env, const char *fmt, ...)
{
	struct bpf_verifier_log *log = env->log;
	char text[256];
	va_list args;
	int len;

	if (!log->level)
		return;
	va_start(args, fmt);
	len = vscnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	log->write(log, text, (size_t)len);
	log->pos += (u64)len;
}

const char *bpf_reg_type_str(u32 type)
{
	static const char *const names[][2] = {
		[NOT_INIT] = { "?", "?" },
		[SCALAR_VALUE] = { "scalar", "scalar" },
		[PTR_TO_CTX] = { "ctx", "ctx_or_null" },
		[CONST_PTR_TO_MAP] = { "map_ptr", "map_ptr_or_null" },
		[PTR_TO_MAP_VALUE] = { "map_value", "map_value_or_null" },
		[PTR_TO_MAP_KEY] = { "map_key", "map_key_or_null" },
		[PTR_TO_STACK] = { "fp", "fp_or_null" },
		[PTR_TO_MEM] = { "mem", "mem_or_null" },
		[PTR_TO_BUF] = { "buf", "buf_or_null" },
		[PTR_TO_BTF_ID] = { "ptr_", "ptr_or_null_" },
		[PTR_TO_FUNC] = { "func", "func_or_null" },
	};
	static const char *const readonly_mem[] = { "rdonly_mem", "rdonly_mem_or_null" };
	static const char *const readonly_buf[] = { "rdonly_buf", "rdonly_buf_or_null" };
	static const char *const record[] = { "alloc_mem", "alloc_mem_or_null" };
	static const char *const percpu[] = { "percpu_ptr_", "percpu_ptr_or_null_" };
	static const char *const user[] = { "user_ptr_", "user_ptr_or_null_" };
	static const char *const untrusted[] = { "untrusted_ptr_", "untrusted_ptr_or_null_" };
	bool or_null = type & PTR_MAYBE_NULL;

	switch (type & BPF_REG_TYPE_BASE) {
	case PTR_TO_MEM:
		if (type & MEM_ALLOC)
			return record[or_null];
		if (type & MEM_RDONLY)
			return readonly_mem[or_null];
		break;
	case PTR_TO_BUF:
		if (type & MEM_RDONLY)
			return readonly_buf[or_null];
		break;
	case PTR_TO_BTF_ID:
		if (type & PTR_UNTRUSTED)
			return untrusted[or_null];
		if (type & MEM_PERCPU)
			return percpu[or_null];
		if (type & MEM_USER)
			return user[or_null];
		break;
	}
	return names[type & BPF_REG_TYPE_BASE][or_null];
}

/* What is known of a number beyond its being one; only bounds that say more than the others. */
static void print_scalar(struct bpf_verifier_env *env, const struct bpf_scalar *s, const char *sep)
{
	const struct {
		const char *name;
		bool shown, is_signed;
		u64 value;
	} bounds[] = {
		{ "smin", s->smin != (s64)s->umin && s->smin != INT64_MIN, true, (u64)s->smin },
		{ "smax", s->smax != (s64)s->umax && s->smax != INT64_MAX, true, (u64)s->smax },
		{ "umin", s->umin != 0, false, s->umin },
		{ "umax", s->umax != UINT64_MAX, false, s->umax },
	};
	const struct {
		const char *name;
		bool shown, is_signed;
		u32 value;
	} bounds32[] = {
		{ "s32_min", s->s32_min != s->smin && s->s32_min != INT32_MIN, true,
		  (u32)s->s32_min },
		{ "s32_max", s->s32_max != s->smax && s->s32_max != INT32_MAX, true,
		  (u32)s->s32_max },
		{ "u32_min", s->u32_min != s->umin && s->u32_min != 0, false, s->u32_min },
		{ "u32_max", s->u32_max != s->umax && s->u32_max != UINT32_MAX, false, s->u32_max },
	};

	if (tnum_is_const(s->var_off)) {
		verbose(env, "%simm=%lx", sep, s->var_off.value);
		return;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(bounds); i++) {
		if (!bounds[i].shown)
			continue;
		verbose(env, bounds[i].is_signed ? "%s%s=%ld" : "%s%s=%lu", sep, bounds[i].name,
			bounds[i].value);
		sep = ",";
	}
	if (~s->var_off.mask) {
		verbose(env, "%svar_off=" TNUM_FMT, sep, TNUM_ARGS(s->var_off));
		sep = ",";
	}
	for (unsigned i = 0; i < ARRAY_SIZE(bounds32); i++) {
		if (!bounds32[i].shown)
			continue;
		verbose(env, bounds32[i].is_signed ? "%s%s=%d" : "%s%s=%u", sep, bounds32[i].name,
			bounds32[i].value);
		sep = ",";
	}
}

static void print_reg(struct bpf_verifier_env *env, const struct bpf_reg_state *reg)
{
	const char *sep = "";

	if (reg->type == SCALAR_VALUE && is_precise(reg))
		verbose(env, "P");
	if ((reg->type == SCALAR_VALUE || reg->type == PTR_TO_STACK) &&
	    tnum_is_const(reg->s.var_off)) {
		verbose(env, "%s%ld", reg->type == SCALAR_VALUE ? "" : "fp",
			(s64)reg->s.var_off.value + reg->off);
		return;
	}
	verbose(env, "%s", bpf_reg_type_str(reg->type));
	if (reg_base(reg) == PTR_TO_BTF_ID) {
		const struct btf_type *t = btf_type_by_id(env->btf, reg->btf_id);

		verbose(env, "%s", t ? btf_name_by_offset(env->btf, t->name_off) : "void");
	}
	verbose(env, "(");
	if (reg->id) {
		verbose(env, "id=%u", reg->id);
		sep = ",";
	}
	if (reg->ref_obj_id) {
		verbose(env, "%sref_obj_id=%u", sep, reg->ref_obj_id);
		sep = ",";
	}
	if (reg->type != SCALAR_VALUE) {
		verbose(env, "%soff=%d", sep, reg->off);
		sep = ",";
	}
	if (reg_base(reg) == CONST_PTR_TO_MAP || reg_base(reg) == PTR_TO_MAP_KEY ||
	    reg_base(reg) == PTR_TO_MAP_VALUE)
		verbose(env, ",ks=%u,vs=%u", reg->map_ptr->key_size, reg->map_ptr->value_size);
	print_scalar(env, &reg->s, sep);
	verbose(env, ")");
}

static void print_slot(struct bpf_verifier_env *env, const struct bpf_stack_state *slot, u32 i)
{
	static const char chars[] = {
		[STACK_INVALID] = '?', [STACK_SPILL] = 'r', [STACK_MISC] = 'm', [STACK_ZERO] = '0'
	};
	char text[BPF_REG_SIZE + 1] = "";
	bool written = false;

	for (u32 byte = 0; byte < BPF_REG_SIZE; byte++) {
		text[byte] = chars[slot->slot_type[byte]];
		written |= slot->slot_type[byte] != STACK_INVALID;
	}
	if (!written)
		return;
	verbose(env, " fp-%u=", (i + 1) * BPF_REG_SIZE);
	if (bpf_is_spilled_reg(slot))
		print_reg(env, &slot->spilled);
	else
		verbose(env, "%s", text);
}

/* Registers and slots whose bits are set in the masks. */
static void print_state(struct bpf_verifier_env *env, const struct bpf_func_state *state, u32 regs,
			u64 slots)
{
	if (state->frameno)
		verbose(env, " frame%u:", state->frameno);
	for (u32 i = 0; i < MAX_BPF_REG; i++) {
		if (!(regs >> i & 1) || state->regs[i].type == NOT_INIT)
			continue;
		verbose(env, " R%u=", i);
		print_reg(env, &state->regs[i]);
	}
	for (u32 i = 0; i < state->allocated_stack / BPF_REG_SIZE; i++)
		if (slots >> i & 1)
			print_slot(env, &state->stack[i], i);
	for (u32 i = 0; i < env->cur->nr_refs; i++)
		verbose(env, i ? ",%u" : " refs=%u", env->cur->refs[i].id);
	verbose(env, "%s\n", state->in_callback_fn ? " cb" : "");
}

void bpf_print_state(struct bpf_verifier_env *env, const struct bpf_func_state *state)
{
	print_state(env, state, ~0U, ~0ULL);
}

/* The slot that a store to the frame at a constant offset writes to, as a bit. */
static u64 stored_slot(const struct bpf_insn *insn)
{
	u8 class = BPF_CLASS(insn->code);

	if ((class != BPF_ST && class != BPF_STX) || insn->dst_reg != BPF_REG_FP ||
	    insn->off >= 0 || insn->off < -MAX_BPF_STACK)
		return 0;
	return 1ULL << (-insn->off - 1) / BPF_REG_SIZE;
}

/* Goes back to an earlier position of the log: what follows is written over the rest. */
void bpf_log_rewind(struct bpf_verifier_env *env, u64 pos)
{
	env->log->pos = pos;
	if (env->log->level)
		env->log->write(env->log, "", 0);
}

void bpf_print_insn(struct bpf_verifier_env *env, u32 insn_idx)
{
	char text[96];

	bpf_disasm(&env->insns[insn_idx], text, sizeof(text));
	verbose(env, "%u: %s\n", insn_idx, text);
	env->insn_log_pos = env->log->pos;
	env->insn_log_len = (u32)strlen(text);
}

void bpf_print_insn_state(struct bpf_verifier_env *env, s32 insn_idx)
{
	u16 use = 0, def = 0;
	u32 column;

	if (insn_idx < 0 || env->insn_log_pos != env->log->pos || !env->log->level)
		return;
	bpf_insn_regs(env, (u32)insn_idx, &use, &def);
	column = max(env->insn_log_len + 4, 40U);
	/* The line goes on after the instruction. */
	bpf_log_rewind(env, env->log->pos - 1);
	verbose(env, "%*c;", column - env->insn_log_len, ' ');
	print_state(env, cur_func(env), use | def, stored_slot(&env->insns[insn_idx]));
}
