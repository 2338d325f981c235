/*
 * The code of trampolines, and of direct calls of tracepoints, which is at the end.
 *
 * A function's site jumps here, so the stack is as at the function's
 * entry: the caller's return address is on top. The trampoline stores the arguments, runs the
 * programs, and then either jumps behind the site (only fentry), or calls the function from there
 * and returns its result to the caller. Its frame:
 *
 *	rbp + 8		the address in the caller
 *	rbp		the caller's rbp
 *	rbp - 8		shared: where the function continues
 *	rbp - 16	shared: rax, which is a result if that is not the function
 *	...
 *	rsp		struct bpf_tramp_args: what programs and helpers see
 *
 * If a program looks at the stack, a second frame between the two says that the function is there.
 *
 * Programs run with preemption off, which is a reader of RCU, too. A function may sleep while it is
 * called from here, so its calls are counted: the code stays until all have returned.
 */
#include "arch/bpf/trampoline.h"

#include "arch/bpf/emit.h"
#include "arch/cpu/preempt.h"
#include "arch/patch/text_patch.h"
#include "kernel/errno.h"
#include "kernel/preempt.h"
#include "trace/bpf/attach/run.h"
#include "trace/bpf/helpers/helpers.h"

#define SLOT_CONTINUE -8
#define SLOT_RAX      -16

/* A place that jumps to code that comes later. */
struct forward {
	u32 at[BPF_TRAMP_MAX_PROGS];
	u32 nr;
};

/* The rare ways of running a program, which come behind the code. */
struct rare {
	const struct bpf_prog *prog;
	u32 too_deep, missed, timed; /* jumps to them */
	u32 ran, next;               /* where they lead */
};

struct tramp_pass {
	struct emitter e;
	const struct bpf_tramp_plan *plan;
	bool shared;
	s32 args; /* from rbp to the first argument; 0: programs get none */
	u32 nr_rare;
	struct rare rare[BPF_TRAMP_MAX_PROGS];
	u32 nr_resched;
	struct {
		u32 from, back;
	} resched[2];
};

static const u8 arg_regs[BPF_TRAMP_MAX_ARGS] = { RDI, RSI, RDX, RCX, R8, R9 };

/* ---- jumps ahead ---- */

/* jcc rel32 to a place that is not known yet. */
static u32 emit_forward(struct emitter *e, u32 condition)
{
	emit_byte(e, 0x0f);
	emit_byte(e, 0x80 | condition);
	emit_bytes(e, 0, 4);
	return e->at;
}

/* The jump goes here. */
static void land(struct emitter *e, u32 from)
{
	u32 here = e->at;

	e->at = from - 4;
	emit_bytes(e, here - from, 4);
	e->at = here;
}

static void emit_jmp_back(struct emitter *e, u32 to)
{
	emit_near(e, JMP_OPCODE, e->address + to);
}

/* ---- one program ---- */

static s32 slot_of(const struct tramp_pass *p, size_t member)
{
	return p->args + (s32)member - (s32)offsetof(struct bpf_tramp_args, args);
}
#define ARGS_SLOT(p, member) slot_of(p, offsetof(struct bpf_tramp_args, member))

static s32 result_slot(const struct tramp_pass *p)
{
	return p->args + 8 * (s32)p->plan->nr_args;
}

static void emit_store_imm(struct emitter *e, s32 slot, u64 value)
{
	if (value != (u64)(s64)(s32)value) {
		emit_mov_imm(e, RAX, value);
		emit_rm(e, X86_W, 0x89, RAX, RBP, slot);
		return;
	}
	emit_rm(e, X86_W, 0xc7, 0, RBP, slot);
	emit_bytes(e, value, 4);
}

/* An instruction on a word at an address of the image, which is within 2 GiB of 0. */
static void emit_on_variable(struct emitter *e, u32 how, u32 opcode, u32 reg, const void *variable)
{
	emit_rabs(e, how, opcode, reg, (s32)(unsigned long)variable);
}

/* The context of programs. */
static void emit_ctx(struct tramp_pass *p, u32 reg)
{
	if (p->args)
		emit_rm(&p->e, X86_W, 0x8d, reg, RBP, p->args); /* lea */
	else
		emit_mov_imm(&p->e, reg, 0);
}

/* An operation with a constant (0x80) or mov (0xc6) on the mark. */
static void emit_on_mark(struct emitter *e, const struct bpf_prog *prog, u32 opcode, u32 digit,
			 u32 value)
{
	emit_on_variable(e, X86_GS, opcode, digit, prog->mark);
	emit_byte(e, value);
}

#define INC 0
#define DEC 1
static void emit_on_room(struct emitter *e, u32 digit)
{
	emit_on_variable(e, X86_GS, 0xff, digit, &bpf_prog_room);
}

/*
 * Keeps the result of a fmod_ret program: an int that is 0 or an errno, which is what callers of
 * the function understand. Another number counts as -EINVAL.
 */
static void emit_keep_result(struct tramp_pass *p)
{
	struct emitter *e = &p->e;
	u32 right;

	emit_rr(e, X86_W, 0x63, RAX, RAX);     /* movsxd rax, eax */
	emit_rm(e, X86_W, 0x8d, R11, RAX, -1); /* lea */
	emit_alu_imm(e, X86_W, X86_CMP, R11, -(MAX_ERRNO + 1));
	right = emit_skip(e, CC_AE);
	emit_mov_imm(e, RAX, (u64)-EINVAL);
	emit_skip_end(e, right);
	emit_rm(e, X86_W, 0x89, RAX, RBP, result_slot(p));
}

/*
 * bpf_prog_enter(), bpf_prog_run_counted() and bpf_prog_exit() of run.h. The result is in rax if
 * the program ran.
 */
static void emit_program(struct tramp_pass *p, const struct bpf_prog *prog, bool keeps_result)
{
	struct rare *rare = &p->rare[p->nr_rare++];
	struct emitter *e = &p->e;

	rare->prog = prog;
	emit_on_room(e, DEC);
	rare->too_deep = emit_forward(e, CC_S);
	emit_on_mark(e, prog, 0x80, X86_SUB, 1); /* no borrow: it was not 0 */
	rare->missed = emit_forward(e, CC_AE);
	emit_on_variable(e, 0, 0x83, X86_CMP, &bpf_stats_enabled_key.key.enabled);
	emit_byte(e, 0);
	rare->timed = emit_forward(e, CC_NE);
	emit_ctx(p, RDI);
	if (!prog->jited)
		emit_mov_imm(e, RSI, (u64)prog->insns);
	emit_call(e, (unsigned long)prog->bpf_func);
	rare->ran = e->at;
	if (keeps_result)
		emit_keep_result(p);
	emit_on_mark(e, prog, 0xc6, 0, 0);
	emit_on_room(e, INC);
	rare->next = e->at;
}

static void emit_link(struct tramp_pass *p, const struct bpf_tramp_link *link, bool keeps_result)
{
	emit_store_imm(&p->e, ARGS_SLOT(p, cookie), link->cookie);
	emit_program(p, link->prog, keeps_result);
}

static void emit_rare(struct tramp_pass *p)
{
	struct emitter *e = &p->e;

	for (u32 i = 0; i < p->nr_rare; i++) {
		const struct rare *rare = &p->rare[i];

		land(e, rare->missed);
		emit_on_mark(e, rare->prog, 0x80, X86_ADD, 1);
		land(e, rare->too_deep);
		emit_on_room(e, INC);
		emit_mov_imm(e, RDI, (u64)rare->prog);
		emit_call(e, (unsigned long)bpf_prog_count_miss);
		emit_jmp_back(e, rare->next);
		land(e, rare->timed);
		emit_mov_imm(e, RDI, (u64)rare->prog);
		emit_ctx(p, RSI);
		emit_call(e, (unsigned long)bpf_prog_run_timed);
		emit_jmp_back(e, rare->ran);
	}
	for (u32 i = 0; i < p->nr_resched; i++) {
		land(e, p->resched[i].from);
		emit_call(e, (unsigned long)preempt_schedule);
		emit_jmp_back(e, p->resched[i].back);
	}
}

/* ---- the whole ---- */

static void emit_preempt_disable(struct tramp_pass *p)
{
	emit_on_variable(&p->e, X86_GS, 0xff, 0, &__preempt_count); /* inc */
}

static void emit_preempt_enable(struct tramp_pass *p)
{
	emit_on_variable(&p->e, X86_GS, 0xff, 1, &__preempt_count); /* dec; 0: a switch is wanted */
	p->resched[p->nr_resched].from = emit_forward(&p->e, CC_E);
	p->resched[p->nr_resched++].back = p->e.at;
}

static void emit_programs(struct tramp_pass *p, enum bpf_tramp_kind kind)
{
	for (u32 i = 0; i < p->plan->nr[kind]; i++)
		emit_link(p, p->plan->links[kind][i], false);
}

/* fmod_ret: a result that is not 0 takes the place of the function and of the other programs. */
static void emit_modify_return(struct tramp_pass *p, struct forward *instead)
{
	struct emitter *e = &p->e;

	if (p->plan->nr[BPF_TRAMP_MODRET])
		emit_store_imm(e, result_slot(p), 0);
	for (u32 i = 0; i < p->plan->nr[BPF_TRAMP_MODRET]; i++) {
		emit_link(p, p->plan->links[BPF_TRAMP_MODRET][i], true);
		emit_rm(e, X86_W, 0x83, X86_CMP, RBP, result_slot(p));
		emit_byte(e, 0);
		instead->at[instead->nr++] = emit_forward(e, CC_NE);
	}
}

static void emit_entry(struct tramp_pass *p)
{
	u32 slots = p->shared ? 2 : 0;
	u32 size =
		ALIGN((u32)sizeof(struct bpf_tramp_args) + 8 * (p->plan->nr_args + 1 + slots), 16U);
	struct emitter *e = &p->e;

	p->args = (s32)sizeof(struct bpf_tramp_args) - (s32)size;
	emit_push(e, RBP);
	emit_mov(e, X86_W, RBP, RSP);
	if (p->plan->traces_stack) {
		emit_byte(e, 0x68); /* push */
		emit_bytes(e, p->plan->function + TEXT_PATCH_SIZE, 4);
		emit_push(e, RBP);
		emit_mov(e, X86_W, RBP, RSP);
	}
	emit_alu_imm(e, X86_W, X86_SUB, RSP, (s32)size);
	if (p->shared) {
		emit_rm(e, X86_W, 0x89, R11, RBP, SLOT_CONTINUE);
		emit_rm(e, X86_W, 0x89, RAX, RBP, SLOT_RAX);
	}
	for (u32 i = 0; i < p->plan->nr_args; i++)
		emit_rm(e, X86_W, 0x89, arg_regs[i], RBP, p->args + 8 * (s32)i);
	emit_store_imm(e, ARGS_SLOT(p, func_ip), p->plan->function);
	emit_store_imm(e, ARGS_SLOT(p, nr_args), p->plan->nr_args);
}

/* Arguments, and with them rax and r11 of a shared site. */
static void emit_restore_args(struct tramp_pass *p)
{
	struct emitter *e = &p->e;

	for (u32 i = 0; i < p->plan->nr_args; i++)
		emit_rm(e, X86_W, 0x8b, arg_regs[i], RBP, p->args + 8 * (s32)i);
	if (p->shared) {
		emit_rm(e, X86_W, 0x8b, R11, RBP, SLOT_CONTINUE);
		emit_rm(e, X86_W, 0x8b, RAX, RBP, SLOT_RAX);
	}
}

static void emit_leave(struct tramp_pass *p)
{
	struct emitter *e = &p->e;

	emit_byte(e, 0xc9); /* leave */
	if (p->plan->traces_stack) {
		emit_alu_imm(e, X86_W, X86_ADD, RSP, 8);
		emit_pop(e, RBP);
	}
}

/* jmp (0xe9, /4) or call (0xe8, /2) to where the function continues. */
static void emit_to_function(struct tramp_pass *p, u32 opcode, u32 digit)
{
	if (p->shared)
		emit_rr(&p->e, 0, 0xff, digit, R11);
	else
		emit_near(&p->e, opcode, p->plan->function + TEXT_PATCH_SIZE);
}

static void emit_count_call(struct tramp_pass *p, u32 digit)
{
	emit_mov_imm(&p->e, R11, (u64)p->plan->calls);
	emit_rm(&p->e, X86_LOCK, 0xff, digit, R11, 0); /* inc, dec */
}

/* Programs, the call of the function, programs, and back to the caller. */
static void emit_around(struct tramp_pass *p, struct bpf_tramp_code *code)
{
	struct forward instead = { .nr = 0 };
	struct emitter *e = &p->e;

	emit_count_call(p, 0);
	if (p->plan->nr[BPF_TRAMP_FENTRY] + p->plan->nr[BPF_TRAMP_MODRET]) {
		emit_preempt_disable(p);
		emit_programs(p, BPF_TRAMP_FENTRY);
		emit_modify_return(p, &instead);
		emit_preempt_enable(p);
	}
	emit_restore_args(p);
	emit_to_function(p, CALL_OPCODE, 2);
	code->called[p->shared] = e->at;
	emit_rm(e, X86_W, 0x89, RAX, RBP, result_slot(p));
	code->skip[p->shared] = e->at;
	for (u32 i = 0; i < TEXT_PATCH_SIZE; i++)
		emit_byte(e, text_nop5[i]);
	if (p->plan->nr[BPF_TRAMP_FEXIT] + instead.nr)
		emit_preempt_disable(p);
	/* From fmod_ret programs: preemption is off already. */
	for (u32 i = 0; i < instead.nr; i++)
		land(e, instead.at[i]);
	if (p->plan->nr[BPF_TRAMP_FEXIT] + instead.nr) {
		emit_programs(p, BPF_TRAMP_FEXIT);
		emit_preempt_enable(p);
	}
	code->skip_to[p->shared] = e->at;
	emit_count_call(p, 1);
	emit_rm(e, X86_W, 0x8b, RAX, RBP, result_slot(p));
	emit_leave(p);
	emit_byte(e, 0xc3); /* ret */
}

static void emit_before(struct tramp_pass *p)
{
	emit_preempt_disable(p);
	emit_programs(p, BPF_TRAMP_FENTRY);
	emit_preempt_enable(p);
	emit_restore_args(p);
	emit_leave(p);
	emit_to_function(p, JMP_OPCODE, 4);
}

void bpf_tramp_write(const struct bpf_tramp_plan *plan, struct bpf_tramp_code *code, u8 *buffer,
		     unsigned long address)
{
	struct tramp_pass p = { { buffer, address, 0 }, .plan = plan };

	*code = (struct bpf_tramp_code){ .size = 0 };
	for (unsigned variant = 0; variant < 2; variant++) {
		p.shared = variant;
		p.nr_rare = p.nr_resched = 0;
		code->start[variant] = p.e.at;
		emit_entry(&p);
		if (plan->nr[BPF_TRAMP_MODRET] + plan->nr[BPF_TRAMP_FEXIT])
			emit_around(&p, code);
		else
			emit_before(&p);
		emit_rare(&p);
	}
	code->size = p.e.at;
}

/* ---- direct calls of tracepoints ---- */

/* Stores an argument as a word: the bits of its register above it may be anything. */
static void emit_store_arg(struct tramp_pass *p, u32 i, u64 mask)
{
	s32 slot = p->args + 8 * (s32)i;
	struct emitter *e = &p->e;

	if (mask != ~0ULL)
		emit_store_imm(e, slot, 0);
	if (mask == 0xff)
		emit_rm(e, X86_BYTE, 0x88, arg_regs[i], RBP, slot);
	else
		emit_rm(e,
			mask == 0xffff       ? X86_16
			: mask == 0xffffffff ? 0
					     : X86_W,
			0x89, arg_regs[i], RBP, slot);
}

u32 bpf_direct_write(const struct bpf_prog *prog, const u64 *masks, u32 nr_args, u8 *buffer,
		     unsigned long address)
{
	struct tramp_pass p = { { buffer, address, 0 }, .nr_rare = 0 };
	struct emitter *e = &p.e;

	emit_push(e, RBP);
	emit_mov(e, X86_W, RBP, RSP);
	if (prog->ctx_words) {
		p.args = -(s32)ALIGN(8 * nr_args, 16U);
		emit_alu_imm(e, X86_W, X86_ADD, RSP, p.args);
	}
	emit_preempt_disable(&p);
	for (u32 i = 0; i < nr_args; i++)
		if (prog->ctx_words & 1U << i)
			emit_store_arg(&p, i, masks[i]);
	emit_program(&p, prog, false);
	emit_preempt_enable(&p);
	emit_byte(e, 0xc9); /* leave */
	emit_byte(e, 0xc3); /* ret */
	emit_rare(&p);
	return e->at;
}
