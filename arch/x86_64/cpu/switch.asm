; The switch between kernel stacks.

%include "arch/cpu/cfi.inc"

TASK_SP		equ 0			; offsets in struct task_struct (kernel/sched/task.h)
TASK_STACK	equ 8
THREAD_SIZE	equ 16384
TSS_RSP0	equ 4			; in struct tss (arch/irq/descriptors.h)

extern current_task, cpu_tss

section .text progbits alloc exec nowrite align=16
bits 64

; struct task_struct *__switch_to(struct task_struct *prev, struct task_struct *next)
;
; Saves the registers that a C function must preserve on the stack of prev. Flags need not be saved:
; interrupts are off in both tasks. The pushes build struct switch_frame (switch.h), where the
; unwinder starts for a task that does not run.
global __switch_to
__switch_to:
	CFI_FUNCTION
	push	r15
	push	r14
	push	r13
	push	r12
	push	rbx
	push	rbp
	mov	[rdi + TASK_SP], rsp
	mov	rsp, [rsi + TASK_SP]
	mov	[gs:current_task], rsi
	mov	rax, [rsi + TASK_STACK]
	add	rax, THREAD_SIZE
	mov	[gs:cpu_tss + TSS_RSP0], rax
	mov	rax, rdi
	pop	rbp
	pop	rbx
	pop	r12
	pop	r13
	pop	r14
	pop	r15
	ret
	CFI_END

; void load_gs_of_program(u16 selector)
;
; The CPU has one selector of GS for ring 0 and ring 3, and loading it loads the base. So it is
; loaded while the base is the program's. NMI, #DB and #MC can interrupt that, and do not trust the
; base. The handler of a breakpoint does trust it, so no breakpoint may be here.
section .entry.text progbits alloc exec nowrite align=16
global load_gs_of_program
load_gs_of_program:
	CFI_FUNCTION
	swapgs
	mov	gs, edi
	swapgs
	ret
	CFI_END
