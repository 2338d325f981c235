/* Saves and loads the registers of the FPU, and the bases of FS and GS: see fpu.h. */
#include "arch/user/fpu.h"

#include "arch/boot/cpuinfo.h"
#include "arch/irq/extable.h"
#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "arch/mm/smap.h"
#include "arch/cpu/special_insns.h"
#include "arch/user/mmu_context.h"
#include "arch/mm/uaccess.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/task/part.h"
#include "kernel/task/program.h"
#include "kernel/sched/user_work.h"
#include "kernel/signal/siginfo.h"

#define X86_CR0_MP         (1UL << 1)
#define X86_CR0_EM         (1UL << 2)
#define X86_CR0_TS         (1UL << 3)
#define X86_CR0_NE         (1UL << 5)
#define X86_CR4_OSFXSR     (1UL << 9)
#define X86_CR4_OSXMMEXCPT (1UL << 10)
#define X86_CR4_FSGSBASE   (1UL << 16)
#define X86_CR4_OSXSAVE    (1UL << 18)

/* Components of XSAVE (Intel SDM 1 13.1): x87, SSE, AVX, and the three of AVX-512. */
#define XFEATURES        0xe7UL
#define XFEATURES_LEGACY 0x3UL
#define LEGACY_SIZE      512 /* of FXSAVE, and the beginning of XSAVE */
#define XSAVE_HEADER     64
#define INITIAL_FCW      0x37f
#define INITIAL_MXCSR    0x1f80

/* FXSAVE: 512 bytes. XSAVE: after them its header, and the components. */
struct fpu_state {
	u16 fcw, fsw, ftw, fop;
	u64 fip, fdp;
	u32 mxcsr, mxcsr_mask;
	u8 registers[432];
	u8 software[48]; /* the CPU ignores them */
	u64 xfeatures;   /* components that are not in their initial state */
	u64 xcomp_bv;
	u64 reserved[6];
};

BUILD_BUG_ON(offsetof(struct fpu_state, software) != 464);
BUILD_BUG_ON(offsetof(struct fpu_state, xfeatures) != LEGACY_SIZE);

static struct kmem_cache *fpu_cache;
static struct fpu_state *initial_state; /* constant after boot */
static u64 xfeatures;                   /* constant after boot; 0: no XSAVE */
size_t fpu_state_size = LEGACY_SIZE;
size_t fpu_frame_size = LEGACY_SIZE;
bool fpu_frame_is_extended;
static u32 mxcsr_mask = 0xffbf; /* the bits that MXCSR may have */
static bool has_fsgsbase;

/* The task whose registers this CPU has loaded or saved last. Compared only. */
static DEFINE_PER_CPU(struct task_struct *, fpu_owner);

static __always_inline void save_registers(struct fpu_state *state)
{
	if (likely(xfeatures))
		__asm__ __volatile__("xsave64 (%0)" ::"r"(state), "a"((u32)xfeatures), "d"(0)
				     : "memory");
	else
		__asm__ __volatile__("fxsave64 (%0)" ::"r"(state) : "memory");
}

static __always_inline void load_registers(const struct fpu_state *state)
{
	if (likely(xfeatures))
		__asm__ __volatile__("xrstor64 (%0)" ::"r"(state), "a"((u32)xfeatures), "d"(0)
				     : "memory");
	else
		__asm__ __volatile__("fxrstor64 (%0)" ::"r"(state) : "memory");
}

/*
 * The same to and from user memory, for XSAVE. False: a fault, also one of XRSTOR because of what
 * it finds there. Preemption off, so that a page that is not there is a fault, too.
 */
#define USER_XSAVE(instruction, at, ok)                                                            \
	__asm__ __volatile__(ASM_STAC "1: " instruction "\n\t"                                     \
				      "movl $1, %k[good]\n"                                        \
				      "2: " ASM_CLAC EXTABLE("1b", "2b")                           \
			     : [good] "+r"(ok)                                                     \
			     : [p] "r"(at), "a"((u32)xfeatures), "d"(0)                            \
			     : "memory")

static bool save_registers_to_user(void __user *at)
{
	unsigned long good = 0;

	/* The legacy part is always valid in a frame. */
	USER_XSAVE("xsave64 (%[p])\n\t"
		   "3: orq $3, 512(%[p])\n\t" EXTABLE("3b", "2f"),
		   at, good);
	return good;
}

static bool load_registers_from_user(const void __user *at)
{
	unsigned long good = 0;

	USER_XSAVE("xrstor64 (%[p])", at, good);
	return good;
}

static u64 read_fs_base(void)
{
	u64 base;

	if (!has_fsgsbase)
		return __rdmsr(MSR_FS_BASE);
	__asm__ __volatile__("rdfsbase %0" : "=r"(base));
	return base;
}

static void write_fs_base(u64 base)
{
	if (has_fsgsbase)
		__asm__ __volatile__("wrfsbase %0" ::"r"(base));
	else
		__wrmsr(MSR_FS_BASE, base);
}

static __always_inline union segments read_segments(void)
{
	u64 ds, es, fs, gs;

	/* To 32-bit registers: the CPU clears the bits above the selector. */
	__asm__ __volatile__("mov %%ds, %k0\n\tmov %%es, %k1\n\tmov %%fs, %k2\n\tmov %%gs, %k3"
			     : "=r"(ds), "=r"(es), "=r"(fs), "=r"(gs));
	return (union segments){ .all = ds | es << 16 | fs << 32 | gs << 48 };
}

/*
 * Loads the selectors, which also loads the bases of FS and GS from the descriptors: the caller
 * writes them afterwards. The selectors were in these registers before, so they are valid: nobody
 * changes the descriptors of ring 3, and there is no LDT. Interrupts off.
 */
static noinline void load_segments(union segments s)
{
	__asm__ __volatile__("mov %0, %%ds\n\tmov %1, %%es\n\tmov %2, %%fs" ::"r"((u32)s.ds),
			     "r"((u32)s.es), "r"((u32)s.fs));
	load_gs_of_program(s.gs);
}

void arch_set_segment_base(bool gs, u64 base)
{
	union segments s;
	unsigned long flags;

	local_irq_save(flags);
	s = read_segments();
	if (gs ? s.gs : s.fs) {
		u64 fsbase = read_fs_base(), gsbase = __rdmsr(MSR_KERNEL_GS_BASE);

		*(gs ? &s.gs : &s.fs) = 0;
		load_segments(s);
		write_fs_base(fsbase);
		__wrmsr(MSR_KERNEL_GS_BASE, gsbase);
	}
	if (gs)
		__wrmsr(MSR_KERNEL_GS_BASE, base);
	else
		write_fs_base(base);
	local_irq_restore(flags);
}

/* Boot of each CPU: switches on the FPU, XSAVE and FSGSBASE, as far as the CPU has them. */
static void fpu_init_cpu(void)
{
	u64 cr4 = read_cr4() | X86_CR4_OSFXSR | X86_CR4_OSXMMEXCPT;
	u32 a, b, c, d;

	write_cr0((read_cr0() & ~(X86_CR0_EM | X86_CR0_TS)) | X86_CR0_MP | X86_CR0_NE);
	if (cpu_has(X86_FEATURE_FSGSBASE)) {
		cr4 |= X86_CR4_FSGSBASE;
		has_fsgsbase = true;
	}
	if (!cpu_has(X86_FEATURE_XSAVE)) {
		write_cr4(cr4);
		return;
	}
	write_cr4(cr4 | X86_CR4_OSXSAVE);
	cpuid(0xd, 0, &a, &b, &c, &d);
	xfeatures = a & XFEATURES;
	__asm__ __volatile__("xsetbv" ::"a"((u32)xfeatures), "c"(0), "d"(0));
	cpuid(0xd, 0, &a, &b, &c, &d); /* ebx: the size of the components in XCR0 */
	fpu_state_size = max((size_t)b, sizeof(struct fpu_state));
	fpu_frame_size = fpu_state_size + sizeof(u32); /* with magic2 */
	fpu_frame_is_extended = xfeatures != 0;
}

CPU_INIT(fpu_init_cpu);

static void set_initial(struct fpu_state *state)
{
	memset(state, 0, fpu_state_size);
	state->fcw = INITIAL_FCW;
	state->mxcsr = INITIAL_MXCSR;
}

/* Writes the registers of the current task to its state. Afterwards the state is up to date. */
static void save_current(void)
{
	preempt_disable();
	if (!test_user_work(current, USER_WORK_FPU))
		save_registers(current->thread.fpu);
	preempt_enable();
}

/* The state of p, which is current or does not run, has changed: the CPU must load it. */
static void state_changed(struct task_struct *p)
{
	p->thread.fpu_cpu = NR_CPUS;
	set_user_work(p, USER_WORK_FPU);
}

static void switch_program(struct task_struct *prev, struct task_struct *next)
{
	struct thread_struct *thread = &prev->thread;
	union segments held;

	if (prev->mm != next->mm)
		switch_mm_irqs_off(next->mm);
	if (thread->fpu) {
		if (!test_user_work(prev, USER_WORK_FPU)) {
			save_registers(thread->fpu);
			thread->fpu_cpu = smp_processor_id();
			this_cpu_write(fpu_owner, prev);
			set_user_work(prev, USER_WORK_FPU);
		}
		thread->segments = held = read_segments();
		thread->fsbase = read_fs_base();
		thread->gsbase = __rdmsr(MSR_KERNEL_GS_BASE);
	}
	thread = &next->thread;
	if (thread->fpu) {
		if (!prev->thread.fpu)
			held = read_segments(); /* of a program that ran before a kernel task */
		if (unlikely(held.all != thread->segments.all))
			load_segments(thread->segments);
		write_fs_base(thread->fsbase);
		__wrmsr(MSR_KERNEL_GS_BASE, thread->gsbase);
	}
}

void fpu_restore(struct task_struct *p)
{
	struct thread_struct *thread = &p->thread;
	unsigned cpu = smp_processor_id();

	clear_user_work(p, USER_WORK_FPU);
	if (!thread->fpu || (this_cpu_read(fpu_owner) == p && thread->fpu_cpu == cpu))
		return;
	load_registers(thread->fpu);
	this_cpu_write(fpu_owner, p);
}

int fpu_fork(struct task_struct *p)
{
	struct thread_struct *thread = &p->thread;

	thread->fpu = kmem_cache_alloc(fpu_cache, GFP_KERNEL);
	if (!thread->fpu)
		return -ENOMEM;
	save_current();
	memcpy(thread->fpu, current->thread.fpu, fpu_state_size);
	state_changed(p);
	thread->segments = read_segments();
	thread->fsbase = read_fs_base();
	thread->gsbase = __rdmsr(MSR_KERNEL_GS_BASE);
	return 0;
}

static void fpu_free(struct task_struct *p)
{
	if (p->thread.fpu)
		kmem_cache_free(fpu_cache, p->thread.fpu);
	p->thread.fpu = NULL;
}

static const struct task_part fpu_registers TASK_PART(fpu_registers) = { .free = fpu_free };

int fpu_reset(void)
{
	struct thread_struct *thread = &current->thread;
	struct fpu_state *state = thread->fpu;

	if (!state) {
		state = kmem_cache_alloc(fpu_cache, GFP_KERNEL);
		if (!state)
			return -ENOMEM;
		set_initial(state); /* XSAVE leaves parts of the header as they are */
	}
	thread->fpu = state;
	fpu_clear();
	local_irq_disable();
	load_segments((union segments){ .all = 0 });
	write_fs_base(0);
	__wrmsr(MSR_KERNEL_GS_BASE, 0);
	local_irq_enable();
	return 0;
}

/* The CPU has the state of the current task: its memory is old. Preemption off. */
static void registers_changed(void)
{
	clear_user_work(current, USER_WORK_FPU);
	this_cpu_write(fpu_owner, current);
}

void fpu_clear(void)
{
	preempt_disable();
	load_registers(initial_state);
	registers_changed();
	preempt_enable();
}

/* ---- for debuggers ---- */

void fpu_sync(void)
{
	struct thread_struct *thread = &current->thread;

	save_current();
	thread->segments = read_segments();
	thread->fsbase = read_fs_base();
	thread->gsbase = __rdmsr(MSR_KERNEL_GS_BASE);
}

void fpu_get_state(const struct task_struct *task, void *state)
{
	struct fpu_state *copy = state;

	memcpy(copy, task->thread.fpu, fpu_state_size);
	memset(copy->software, 0, sizeof(copy->software));
	if (xfeatures)
		memcpy(copy->software, &xfeatures, sizeof(xfeatures));
}

int fpu_set_state(struct task_struct *task, const void *from, size_t size)
{
	struct fpu_state *state = task->thread.fpu;
	const struct fpu_state *new = from;

	if (new->mxcsr & ~mxcsr_mask)
		return -EINVAL;
	if (size > LEGACY_SIZE && ((new->xfeatures & ~xfeatures) || new->xcomp_bv ||
				   memchr_inv(new->reserved, 0, sizeof(new->reserved))))
		return -EINVAL;
	memcpy(state, from, size);
	if (xfeatures && size == LEGACY_SIZE)
		state->xfeatures |= XFEATURES_LEGACY;
	state_changed(task);
	return 0;
}

/* ---- exceptions ---- */

/* The exceptions in the status word of x87 and in MXCSR (Intel SDM 1 8.1.3, 10.2.3). */
#define FP_INVALID   0x01
#define FP_DENORMAL  0x02
#define FP_DIVIDE    0x04
#define FP_OVERFLOW  0x08
#define FP_UNDERFLOW 0x10
#define FP_PRECISION 0x20

int fpu_exception_code(bool sse)
{
	const struct fpu_state *state = current->thread.fpu;
	unsigned pending;

	save_current();
	if (sse)
		pending = state->mxcsr & ~(state->mxcsr >> 7);
	else
		pending = state->fsw & ~(unsigned)state->fcw;
	if (pending & FP_INVALID)
		return FPE_FLTINV;
	if (pending & FP_DIVIDE)
		return FPE_FLTDIV;
	if (pending & FP_OVERFLOW)
		return FPE_FLTOVF;
	if (pending & (FP_UNDERFLOW | FP_DENORMAL))
		return FPE_FLTUND;
	return pending & FP_PRECISION ? FPE_FLTRES : 0;
}

/* ---- frames of signal handlers ---- */

#define FP_XSTATE_MAGIC1 0x46505853U
#define FP_XSTATE_MAGIC2 0x46505845U

/* In the 48 bytes that the CPU ignores: says that more than FXSAVE's part is there. */
struct fpu_software {
	u32 magic1;
	u32 extended_size; /* with magic2, which follows the state */
	u64 xfeatures;
	u32 xstate_size;
	u32 padding[7];
};

BUILD_BUG_ON(sizeof(struct fpu_software) != 48);

static u32 __user *magic2_of(void __user *at)
{
	return (u32 __user *)((char __user *)at + fpu_state_size);
}

/* Saves the registers straight into the frame. False: the CPU does not have them, or a fault. */
static bool save_directly(void __user *at)
{
	struct fpu_state __user *state = at;
	u64 __user *software = (u64 __user *)state->software;
	bool good;

	if (test_user_work(current, USER_WORK_FPU) || !access_ok(at, fpu_state_size + sizeof(u32)))
		return false;
	user_access_begin();
	/* XSAVE writes only a part of its header. */
	unsafe_put_u64(0UL, &state->xfeatures, fault);
	unsafe_put_u64(0UL, &state->xcomp_bv, fault);
	unrolled
	for (unsigned i = 0; i < ARRAY_SIZE(state->reserved); i++)
		unsafe_put_u64(0UL, &state->reserved[i], fault);
	unsafe_put_u64(FP_XSTATE_MAGIC1 | (fpu_state_size + sizeof(u32)) << 32, &software[0],
		       fault);
	unsafe_put_u64(xfeatures, &software[1], fault);
	unsafe_put_u64(fpu_state_size, &software[2], fault);
	unrolled
	for (unsigned i = 3; i < sizeof(state->software) / sizeof(u64); i++)
		unsafe_put_u64(0UL, &software[i], fault);
	unsafe_put_u32(FP_XSTATE_MAGIC2, magic2_of(at), fault);
	user_access_end();
	preempt_disable();
	good = !test_user_work(current, USER_WORK_FPU) && save_registers_to_user(at);
	preempt_enable();
	return good;
fault:
	user_access_end();
	return false;
}

/* Saves the state that is in memory. */
static noinline bool save_by_copy(void __user *at)
{
	struct fpu_state *state = current->thread.fpu;
	struct fpu_software software = {
		.magic1 = FP_XSTATE_MAGIC1,
		.extended_size = (u32)fpu_frame_size,
		.xfeatures = xfeatures,
		.xstate_size = (u32)fpu_state_size,
	};

	save_current();
	if (!xfeatures)
		return !copy_to_user(at, state, LEGACY_SIZE);
	memcpy(state->software, &software, sizeof(software));
	state->xfeatures |= XFEATURES_LEGACY; /* the legacy part is always valid in a frame */
	return !copy_to_user(at, state, fpu_state_size) &&
	       !put_user(FP_XSTATE_MAGIC2, magic2_of(at));
}

bool fpu_save_to_user(void __user *at)
{
	return (xfeatures && save_directly(at)) || save_by_copy(at);
}

/* Makes a state of a program one that XRSTOR does not refuse. */
static void sanitise(struct fpu_state *state)
{
	state->mxcsr &= mxcsr_mask;
	if (!xfeatures)
		return;
	state->xfeatures &= xfeatures;
	state->xcomp_bv = 0;
	memset(state->reserved, 0, sizeof(state->reserved));
}

/* True if the whole XSAVE state is at that address, and not FXSAVE's part alone. */
static bool is_extended(const struct fpu_state *legacy, const void __user *at)
{
	struct fpu_software software;
	u32 magic2;

	memcpy(&software, legacy->software, sizeof(software));
	return xfeatures && software.magic1 == FP_XSTATE_MAGIC1 &&
	       software.xstate_size == fpu_state_size &&
	       software.extended_size >= software.xstate_size &&
	       !get_user(magic2, (const u32 __user *)((const char __user *)at + fpu_state_size)) &&
	       magic2 == FP_XSTATE_MAGIC2;
}

/* Loads a frame of XSAVE straight into the registers. False: that needs a closer look. */
static bool load_directly(const void __user *at)
{
	const struct fpu_state __user *state = at;
	const u64 __user *software = (const u64 __user *)state->software;
	u64 magic1_size, xstate_size;
	u32 magic2;
	bool good;

	if (!xfeatures || (unsigned long)at % FPU_ALIGN ||
	    !access_ok(at, fpu_state_size + sizeof(u32)))
		return false;
	user_access_begin();
	unsafe_get_u64(magic1_size, &software[0], fault);
	unsafe_get_u64(xstate_size, &software[2], fault);
	unsafe_get_u32(magic2, magic2_of((void __user *)at), fault);
	user_access_end();
	if ((u32)magic1_size != FP_XSTATE_MAGIC1 || magic1_size >> 32 < fpu_state_size ||
	    (u32)xstate_size != fpu_state_size || magic2 != FP_XSTATE_MAGIC2)
		return false;
	preempt_disable();
	this_cpu_write(fpu_owner, NULL); /* a fault may come after some registers have changed */
	good = load_registers_from_user(at);
	if (good)
		registers_changed();
	preempt_enable();
	return good;
fault:
	user_access_end();
	return false;
}

bool fpu_restore_from_user(const void __user *at)
{
	struct fpu_state *state;
	bool good = true;

	if (at && load_directly(at))
		return true;
	state = kmem_cache_alloc(fpu_cache, GFP_KERNEL);
	if (!state)
		return false;
	set_initial(state);
	if (at) {
		good = !copy_from_user(state, at, LEGACY_SIZE);
		if (good && is_extended(state, at))
			good = !copy_from_user(state, at, fpu_state_size);
		else if (xfeatures) /* without XSAVE the state has no header */
			state->xfeatures = XFEATURES_LEGACY;
		sanitise(state);
	}
	if (good) {
		preempt_disable(); /* a switch would overwrite the state with the registers */
		memcpy(current->thread.fpu, state, fpu_state_size);
		state_changed(current);
		preempt_enable();
	}
	kmem_cache_free(fpu_cache, state);
	return good;
}

static int __init fpu_init(void)
{
	struct fpu_state *state;

	fpu_cache = kmem_cache_create("fpu_state", fpu_state_size, FPU_ALIGN);
	state = fpu_cache ? kmem_cache_alloc(fpu_cache, GFP_KERNEL) : NULL;
	if (!state)
		return -ENOMEM;
	memset(state, 0, fpu_state_size);
	save_registers(state);
	if (state->mxcsr_mask)
		mxcsr_mask = state->mxcsr_mask;
	set_initial(state);
	initial_state = state;
	program_ops.switch_to = switch_program;
	return 0;
}
core_initcall(fpu_init);
