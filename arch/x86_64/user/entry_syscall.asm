; System calls. The other ways back to ring 3 are in arch/irq/return_to_user.asm.
;
; SYSCALL saves rip in rcx and the flags in r11, clears the flags of FLAGS_MASK (syscall_init() in
; syscall.c), and jumps here (Intel SDM 2B). It does not change rsp: until the stack is loaded, rsp
; is the program's. Interrupts are off until then.
;
; SYSRET is the short way back. It can do harm that IRET cannot: on an Intel CPU it faults in ring
; 0, with the program's stack, if rip is not canonical. So it is used only if nothing can have
; changed the saved registers: rip is then the address after a SYSCALL instruction, which is at most
; TASK_SIZE_MAX, and so canonical. Code that changes them sets USER_WORK_IRET.

%include "arch/irq/entry.inc"

extern current_task, cpu_tss, __preempt_count, sys_call_table, __x64_sys_ni_syscall
extern return_to_user_work, return_to_user_iret

ENOSYS			equ 38
NR_SYSCALLS		equ 512		; kernel/syscalls/syscalls.h
USER_DS			equ 0x2b	; arch/irq/descriptors.h
USER_CS			equ 0x33
TSS_RSP2		equ 20		; not used by the CPU: keeps the program's rsp for a moment
FLAGS_TF		equ 0x100

section .entry.text progbits alloc exec nowrite align=16
bits 64

; rax = number; rdi, rsi, rdx, r10, r8, r9 = arguments. The function of the call takes them as a C
; function, whose fourth argument is in rcx. Returns in rax; all other registers but rcx and r11
; stay. The number is an int: mov eax, eax clears the upper half of rax.
global entry_SYSCALL_64
entry_SYSCALL_64:
	CFI_SYSCALL
	swapgs					; gs: this CPU's variables
	mov	[gs:cpu_tss + TSS_RSP2], rsp
	mov	rsp, [gs:cpu_tss + TSS_RSP0]	; the kernel stack of the task
	CFI_OUTERMOST			; rsp is where no CFI can point
	push	USER_DS				; from here to r15: struct pt_regs
	push	qword [gs:cpu_tss + TSS_RSP2]
	push	r11
	push	USER_CS
	push	rcx
entry_SYSCALL_64_after_hwframe:
	CFI_TRAP 0
	push	rax
	push	rdi
	push	rsi
	push	rdx
	push	rcx
	push	-ENOSYS
	push	r8
	push	r9
	push	r10
	push	r11
	push	rbx
	push	rbp
	push	r12
	push	r13
	push	r14
	push	r15
	lea	rbp, [rsp + 1]			; as in PUSH_REGS (arch/irq/entry.inc)
	sub	rsp, 8
	CFI_ADJUST 8
	IRQ_SITE STI_INSN, preemptirq_irq_enter
	; LAB 12: The table has NR_SYSCALLS entries, and a program may pass any number in eax.
	cmp	eax, NR_SYSCALLS
	jae	.unknown
	; END LAB 12
	mov	eax, eax
	mov	rcx, r10
	call	[sys_call_table + rax * 8]
.return:
	mov	[rsp + 8 + PT_AX], rax
	IRQ_SITE CLI_INSN, preemptirq_irq_exit
	mov	rdx, [gs:current_task]
	cmp	dword [rdx + TASK_EXIT_WORK], 0
	jne	return_to_user_work
	cmp	dword [gs:__preempt_count], PREEMPT_NEED_RESCHED ; this bit is 0 for a request
	jne	return_to_user_work
	test	dword [rsp + 8 + PT_FLAGS], FLAGS_TF
	jnz	return_to_user_iret		; after SYSRET the trap would come too early
	POP_REGS
	mov	rsp, [rsp + 4 * 8]		; above orig_ax, rip, cs, flags
	CFI_SYSCALL
	swapgs
	o64 sysret
.unknown:
	CFI_REGS
	mov	rcx, r10
	call	__x64_sys_ni_syscall
	jmp	.return

; A program in 32-bit mode. There are no 32-bit system calls.
global entry_SYSCALL_compat
entry_SYSCALL_compat:
	CFI_SYSCALL
	mov	eax, -ENOSYS
	sysret
	CFI_END
