/*
 * What the user reads: the log of the verifier, in the words of Linux, because tools look for some
 * of them and people know them.
 */
#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "trace/bpf/core/btf.h"
#include "trace/bpf/verifier/verifier.h"

static void write_text(struct bpf_verifier_log *log, const char *text, size_t len)
{
	log->write(log, text, len);
	log->pos += len;
}

static void vlog(struct bpf_verifier_log *log, const char *fmt, va_list args)
{
	char text[256];

	if (log && log->level)
		write_text(log, text, (size_t)vscnprintf(text, sizeof(text), fmt, args));
}

void bpf_log(struct bpf_verifier_log *log, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vlog(log, fmt, args);
	va_end(args);
}

int refuse(struct bpf_verifier_env *env, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vlog(env->log, fmt, args);
	va_end(args);
	return err;
}

const char *bpf_reg_type_str(u32 type)
{
	static const struct {
		u32 type;
		const char *name;
	} names[] = {
		{ NOT_INIT, "?" },
		{ SCALAR_VALUE, "scalar" },
		{ PTR_TO_CTX, "ctx" },
		{ CONST_PTR_TO_MAP, "map_ptr" },
		{ CONST_PTR_TO_MAP | PTR_MAYBE_NULL, "map_ptr_or_null" },
		{ PTR_TO_MAP_VALUE, "map_value" },
		{ PTR_TO_MAP_VALUE | PTR_MAYBE_NULL, "map_value_or_null" },
		{ PTR_TO_MAP_KEY, "map_key" },
		{ PTR_TO_STACK, "fp" },
		{ PTR_TO_MEM, "mem" },
		{ PTR_TO_MEM | PTR_MAYBE_NULL, "mem_or_null" },
		{ PTR_TO_MEM | MEM_RDONLY, "rdonly_mem" },
		{ PTR_TO_MEM | MEM_RDONLY | PTR_MAYBE_NULL, "rdonly_mem_or_null" },
		{ PTR_TO_MEM | MEM_ALLOC, "alloc_mem" },
		{ PTR_TO_MEM | MEM_ALLOC | PTR_MAYBE_NULL, "alloc_mem_or_null" },
		{ PTR_TO_BUF, "buf" },
		{ PTR_TO_BUF | PTR_MAYBE_NULL, "buf_or_null" },
		{ PTR_TO_BUF | MEM_RDONLY, "rdonly_buf" },
		{ PTR_TO_BUF | MEM_RDONLY | PTR_MAYBE_NULL, "rdonly_buf_or_null" },
		{ PTR_TO_BTF_ID, "ptr_" },
		{ PTR_TO_BTF_ID | PTR_MAYBE_NULL, "ptr_or_null_" },
		{ PTR_TO_BTF_ID | PTR_UNTRUSTED, "untrusted_ptr_" },
		{ PTR_TO_BTF_ID | MEM_PERCPU, "percpu_ptr_" },
		{ PTR_TO_BTF_ID | MEM_USER, "user_ptr_" },
		{ PTR_TO_FUNC, "func" },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].type == type)
			return names[i].name;
	return "ptr";
}

/* One bound, if it says more than the others. */
static void print_bound(struct bpf_verifier_env *env, const char **sep, bool shown, const char *fmt,
			u64 value)
{
	if (!shown)
		return;
	verbose(env, "%s", *sep);
	verbose(env, fmt, value);
	*sep = ",";
}

/* What is known of a number, but no more often than needed. */
static void print_scalar(struct bpf_verifier_env *env, const struct bpf_scalar *s, const char *sep)
{
	if (tnum_is_const(s->var_off)) {
		verbose(env, "%simm=%lx", sep, s->var_off.value);
		return;
	}
	print_bound(env, &sep, s->whole.smin != (s64)s->whole.umin && s->whole.smin != INT64_MIN,
		    "smin=%ld", (u64)s->whole.smin);
	print_bound(env, &sep, s->whole.smax != (s64)s->whole.umax && s->whole.smax != INT64_MAX,
		    "smax=%ld", (u64)s->whole.smax);
	print_bound(env, &sep, s->whole.umin != 0, "umin=%lu", s->whole.umin);
	print_bound(env, &sep, s->whole.umax != UINT64_MAX, "umax=%lu", s->whole.umax);
	if (~s->var_off.mask) {
		verbose(env, "%svar_off=" TNUM_FMT, sep, TNUM_ARGS(s->var_off));
		sep = ",";
	}
	print_bound(env, &sep, s->half.smin != s->whole.smin && s->half.smin != INT32_MIN,
		    "s32_min=%ld", (u64)(s64)s->half.smin);
	print_bound(env, &sep, s->half.smax != s->whole.smax && s->half.smax != INT32_MAX,
		    "s32_max=%ld", (u64)(s64)s->half.smax);
	print_bound(env, &sep, s->half.umin != s->whole.umin && s->half.umin != 0, "u32_min=%lu",
		    s->half.umin);
	print_bound(env, &sep, s->half.umax != s->whole.umax && s->half.umax != UINT32_MAX,
		    "u32_max=%lu", s->half.umax);
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
	if (reg_base(reg) == PTR_TO_BTF_ID)
		verbose(env, "%s", bpf_btf_type_name(env->btf, reg->btf_id));
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
	for (u32 i = 0; i < nr_slots(state); i++)
		if (slots >> i & 1)
			print_slot(env, &state->stack[i], i);
	for (u32 i = 0; i < env->cur->nr_refs; i++)
		verbose(env, i ? ",%u" : " refs=%u", env->cur->refs[i].id);
	verbose(env, "%s\n", state->in_callback_fn ? " cb" : "");
}

static void print_whole_state(struct bpf_verifier_env *env, const struct bpf_func_state *state)
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

/* The line of source in which the instruction lies. The first one begins at instruction 0. */
static const struct bpf_line_info *find_line(const struct bpf_prog *prog, u32 insn_idx)
{
	const struct bpf_line_info *lines = prog->line_info;
	u32 first = 0, end = prog->nr_line_info;

	while (end - first > 1) {
		u32 middle = (first + end) / 2;

		if (lines[middle].insn_off <= insn_idx)
			first = middle;
		else
			end = middle;
	}
	return end && insn_idx < prog->len ? &lines[first] : NULL;
}

/*
 * Shows the line of source from which the instruction comes, unless it is the last one that was
 * shown. prefix: a format for the number of the instruction, or "; ".
 */
static void print_line(struct bpf_verifier_env *env, u32 insn_idx, const char *prefix)
{
	const struct bpf_line_info *line = find_line(env->prog, insn_idx);
	const char *text;

	if (!env->log->level || !line || line == env->logged_line)
		return;
	env->logged_line = line;
	text = btf_name_by_offset(&env->prog->btf->btf, line->line_off);
	while (isspace(*text))
		text++;
	verbose(env, prefix, insn_idx);
	write_text(env->log, text, strlen(text)); /* of any length */
	verbose(env, "\n");
}

int refuse_way(struct bpf_verifier_env *env, const char *what, u32 from, u32 to)
{
	print_line(env, from, "%u: ");
	print_line(env, to, "%u: ");
	return refuse(env, -EINVAL, "%s from insn %u to %u\n", what, from, to);
}

static void print_insn(struct bpf_verifier_env *env, u32 insn_idx)
{
	char text[96];
	u64 start;

	print_line(env, insn_idx, "; ");
	start = env->log->pos;
	bpf_disasm(&env->insns[insn_idx], text, sizeof(text));
	verbose(env, "%u: %s\n", insn_idx, text);
	env->insn_log_pos = env->log->pos;
	env->insn_log_len = (u32)(env->log->pos - start - 1);
}

/* After its line, what its registers are now. insn_idx < 0, or another text follows: nothing. */
static void print_insn_state(struct bpf_verifier_env *env, s32 insn_idx)
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

void bpf_log_step(struct bpf_verifier_env *env, bool new_way)
{
	u32 level = env->log->level;

	if (!(level & BPF_LOG_LEVEL))
		return;
	if (!new_way) {
		print_insn_state(env, env->prev_insn_idx);
	} else if (level & BPF_LOG_LEVEL2 && env->prev_insn_idx >= 0) {
		verbose(env, "\nfrom %d to %u:", env->prev_insn_idx, env->insn_idx);
		print_whole_state(env, cur_func(env));
	}
	print_insn(env, env->insn_idx);
}

void bpf_log_pruned(struct bpf_verifier_env *env, bool new_way)
{
	if (!(env->log->level & BPF_LOG_LEVEL))
		return;
	if (new_way)
		verbose(env, "\nfrom %d to %u: safe\n", env->prev_insn_idx, env->insn_idx);
	else
		verbose(env, "%u: safe\n", env->insn_idx);
}

/* bpftrace and bpftool read some of these words. */
void bpf_print_stats(struct bpf_verifier_env *env, u64 ns)
{
	if (env->log->level & BPF_LOG_STATS) {
		verbose(env, "verification time %lu usec\nstack depth ", ns / 1000);
		for (u32 i = 0; i < env->nr_subprogs; i++)
			verbose(env, i ? "+%u" : "%u", env->subprogs[i].stack_depth);
		verbose(env, "\n");
	}
	/* There are no marks of reads that go from state to state. */
	verbose(env,
		"processed %u insns (limit %u) max_states_per_insn %u total_states %u peak_states "
		"%u mark_read 0\n",
		env->insn_processed, BPF_COMPLEXITY_LIMIT_INSNS, env->max_states_per_insn,
		env->total_states, env->peak_states);
}

void bpf_log_call(struct bpf_verifier_env *env, const struct bpf_func_state *caller,
		  const struct bpf_func_state *callee)
{
	if (!(env->log->level & BPF_LOG_LEVEL))
		return;
	verbose(env, "caller:\n");
	print_whole_state(env, caller);
	verbose(env, "callee:\n");
	print_whole_state(env, callee);
}

void bpf_log_return(struct bpf_verifier_env *env, const struct bpf_func_state *callee,
		    const struct bpf_func_state *caller, u32 insn_idx)
{
	if (!(env->log->level & BPF_LOG_LEVEL))
		return;
	verbose(env, "returning from callee:\n");
	print_whole_state(env, callee);
	verbose(env, "to caller at %d:\n", insn_idx);
	print_whole_state(env, caller);
}
