; Entries of all 256 vectors: save the registers as struct pt_regs, call C, return.
;
; The kernel's GS base is always loaded, because there is no ring 3 yet. So no entry changes it, and
; an NMI between any two instructions finds it correct.
;
; While C runs, rbp = address of the pt_regs + 1. The odd frame pointer tells the unwinder
; (unwind.c) that a register frame is at this address.

%include "arch/ptrace.inc"
%include "arch/uaccess.inc"

extern do_exception, do_int3, do_nmi, do_interrupt
extern nmi_running

%macro PUSH_REGS 0
	push	rdi
	push	rsi
	push	rdx
	push	rcx
	push	rax
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
	cld
	CLAC				; the interrupted code may have user memory open
	mov	rdi, rsp			; the first argument
	lea	rbp, [rsp + 1]
	sub	rsp, 8				; the CPU aligned its frame; this aligns the call
%endmacro

%macro POP_REGS 0
	add	rsp, 8
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbp
	pop	rbx
	pop	r11
	pop	r10
	pop	r9
	pop	r8
	pop	rax
	pop	rcx
	pop	rdx
	pop	rsi
	pop	rdi
%endmacro

section .entry.text progbits alloc exec nowrite align=16
bits 64

; Exceptions without an entry of their own below: do_exception(regs, vector). For some vectors the
; CPU pushes an error code (Intel SDM 3A 6.13). For the others the entry pushes 0.
%macro EXCEPTION 1-2
%if %0 == 2
asm_exc_%2:
%endif
exception_%1:
%if %1 == 8 || (%1 >= 10 && %1 <= 14) || %1 == 17 || %1 == 21 || %1 == 29 || %1 == 30
%else
	push	0
%endif
	PUSH_REGS
	mov	esi, %1
	call	do_exception
	POP_REGS
	add	rsp, 8
	iretq
%endmacro

	EXCEPTION 0, divide_error
	EXCEPTION 1, debug
	EXCEPTION 4, overflow
	EXCEPTION 5, bounds
	EXCEPTION 6, invalid_op
	EXCEPTION 7, device_not_available
	EXCEPTION 8, double_fault
	EXCEPTION 9, coproc_segment_overrun
	EXCEPTION 10, invalid_tss
	EXCEPTION 11, segment_not_present
	EXCEPTION 12, stack_segment
	EXCEPTION 15
	EXCEPTION 16, coprocessor_error
	EXCEPTION 17, alignment_check
	EXCEPTION 18, machine_check
	EXCEPTION 19, simd_coprocessor_error
%assign vector 20
%rep 12
	EXCEPTION vector
%assign vector vector + 1
%endrep

; #GP and #PF: do_exception(regs, vector). The fault may be one that maccess.asm expects, and this
; may be in an NMI handler. So the CPU's frame is copied, and the return is as for #BP.
%macro FAULT 2
asm_exc_%2:
exception_%1:
%rep 6
	push	qword [rsp + 5 * 8]
%endrep
	PUSH_REGS
	mov	esi, %1
	call	do_exception
	jmp	exception_return
%endmacro

	FAULT 13, general_protection
	FAULT 14, page_fault

; NMI: do_nmi(regs). No exception that returns into a running NMI handler may use IRET: IRET
; unblocks NMIs, and the next NMI would overwrite this one's stack. See exception_3. The test is
; nmi_running and not the preempt count: do_nmi() and nmi_enter() have call sites too, and so may
; hit breakpoints before the count changes.
asm_exc_nmi:
exception_2:
	push	0
	PUSH_REGS
	inc	dword [gs:nmi_running]
	call	do_nmi
	dec	dword [gs:nmi_running]
	POP_REGS
	add	rsp, 8
	iretq

; #BP: do_int3(regs). Copies the CPU's frame 6 words lower. In the gap above the copy the handler
; may push a return address on the interrupted stack, and so emulate a call.
asm_exc_int3:
exception_3:
	push	0
%rep 6
	push	qword [rsp + 5 * 8]
%endrep
	PUSH_REGS
	call	do_int3
exception_return:
	cmp	dword [gs:nmi_running], 0
	jne	.return_into_nmi
	POP_REGS
	add	rsp, 8
	iretq

; Does the same as IRET, but NMIs stay blocked: puts flags and rip on the stack of the interrupted
; code, and returns there with POPF and RET.
.return_into_nmi:
	mov	rax, [rsp + 8 + PT_SP]
	mov	rdx, [rsp + 8 + PT_IP]
	mov	[rax - 8], rdx
	mov	rdx, [rsp + 8 + PT_FLAGS]
	mov	[rax - 16], rdx
	sub	rax, 16
	mov	[rsp + 8 + PT_SP], rax
	POP_REGS
	mov	rsp, [rsp + 4 * 8]		; above error code, rip, cs, flags
	popfq
	ret

; Interrupts: do_interrupt(regs), with the vector in regs->orig_ax.
asm_common_interrupt:
	PUSH_REGS
	call	do_interrupt
	POP_REGS
	add	rsp, 8
	iretq

align 16
global interrupt_entries
interrupt_entries:
%assign vector 32
%rep 224
	push	vector
	jmp	near asm_common_interrupt
	align	16
%assign vector vector + 1
%endrep

section .rodata progbits alloc noexec nowrite align=8
global exception_entries
exception_entries:
%assign vector 0
%rep 32
	dq	exception_ %+ vector
%assign vector vector + 1
%endrep
