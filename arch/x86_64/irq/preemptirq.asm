; The thunks that the sites of arch/irq/preemptirq.h call while they are on. Each executes the
; instruction of the site, and calls the function of kernel/preemptirq.c that reports it, with the
; address behind the site, and the return address of the function that contains the site. All
; registers but the flags stay.
;
; A thunk has a frame, so backtraces go through it. Nothing here is a call site of ftrace.

%include "arch/cpu/cfi.inc"

extern __preempt_count
extern trace_hardirqs_off, trace_hardirqs_on, trace_preempt_off, trace_preempt_on

section .entry.text progbits alloc exec nowrite align=16
bits 64

PREEMPT_OTHERS	equ 0x7ffffffe	; the bits of the count but PREEMPT_NEED_RESCHED and 1
FLAGS_IF_BYTE	equ 2		; IF, in the second byte of the flags

; Calls %1(address behind the site, parent). rbp = the thunk's frame. The frame pointer of the
; function with the site is odd where it is a struct pt_regs, and 0 at the end of a backtrace.
%macro REPORT 1
	push	rax
	push	rcx
	push	rdx
	push	rsi
	push	rdi
	push	r8
	push	r9
	push	r10
	push	r11
	push	rbx
	mov	rbx, rsp
	and	rsp, -16
	mov	rdi, [rbp + 8]
	mov	rdx, [rbp]
	xor	esi, esi
	test	rdx, rdx
	jz	%%no_parent
	test	dl, 1
	jnz	%%no_parent
	mov	rsi, [rdx + 8]
%%no_parent:
	call	%1
	mov	rsp, rbx
	pop	rbx
	pop	r11
	pop	r10
	pop	r9
	pop	r8
	pop	rdi
	pop	rsi
	pop	rdx
	pop	rcx
	pop	rax
%endmacro

; CLI. Interrupts that are off already are not reported.
global preemptirq_irq_off
preemptirq_irq_off:
	CFI_FUNCTION
	push	rbp
	mov	rbp, rsp
	CFI_BASE rbp
	pushfq
	cli
	test	byte [rsp + 1], FLAGS_IF_BYTE
	jz	.done
	REPORT trace_hardirqs_off
.done:	leave
	ret

; STI. No interrupt comes before RET is done (Intel SDM 2B, STI).
global preemptirq_irq_on
preemptirq_irq_on:
	CFI_FUNCTION
	push	rbp
	mov	rbp, rsp
	CFI_BASE rbp
	REPORT trace_hardirqs_on
	pop	rbp
	sti
	ret

; STI at the start of a system call: SYSCALL has turned interrupts off.
global preemptirq_irq_enter
preemptirq_irq_enter:
	CFI_FUNCTION
	push	rbp
	mov	rbp, rsp
	CFI_BASE rbp
	REPORT trace_hardirqs_off
	REPORT trace_hardirqs_on
	pop	rbp
	sti
	ret

; CLI before the return to ring 3, which turns interrupts on. After an interrupt they are off here.
global preemptirq_irq_exit
preemptirq_irq_exit:
	CFI_FUNCTION
	push	rbp
	mov	rbp, rsp
	CFI_BASE rbp
	pushfq
	cli
	test	byte [rsp + 1], FLAGS_IF_BYTE
	jz	.done
	REPORT trace_hardirqs_off
	REPORT trace_hardirqs_on
.done:	leave
	ret

; INC of the preempt count. Reported if preemption was on.
global preemptirq_preempt_off
preemptirq_preempt_off:
	CFI_FUNCTION
	add	qword [rsp], 2			; the end of the instruction
	inc	dword [gs:__preempt_count]
	test	dword [gs:__preempt_count], PREEMPT_OTHERS
	jnz	.done
	push	rbp
	mov	rbp, rsp
	CFI_BASE rbp
	REPORT trace_preempt_off
	pop	rbp
.done:	ret

; DEC of the preempt count, with ZF. Reported before, if preemption will be on.
global preemptirq_preempt_on
preemptirq_preempt_on:
	CFI_FUNCTION
	add	qword [rsp], 2
	test	dword [gs:__preempt_count], PREEMPT_OTHERS
	jnz	.dec
	push	rbp
	mov	rbp, rsp
	CFI_BASE rbp
	REPORT trace_preempt_on
	pop	rbp
.dec:	dec	dword [gs:__preempt_count]
	ret
	CFI_END
