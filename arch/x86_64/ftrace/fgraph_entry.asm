; fgraph replaces the return address of a traced function by return_to_handler
; (trace/fgraph/fgraph.c).
;
; The code first pushes its own address to the old place of the return address. So a backtrace from
; any instruction below sees a normal frame: a function that the caller of the traced function has
; called. The C function that is called below replaces the address by the true return address, and
; the ret at the end uses it. The traced function's result is in rax and rdx; the kernel does not
; use floating-point registers.

%include "arch/cpu/cfi.inc"
%include "arch/cpu/ptrace.inc"

KERNEL_CS	equ 0x10
KERNEL_SS	equ 0x18

extern ftrace_return_to_handler, ftrace_return_with_regs, preempt_schedule, __preempt_count

section .entry.text progbits alloc exec nowrite align=16
bits 64

; Preemption is off while the code uses a callback. Before that the task may be switched out; its
; shadow stack is not freed, because it still has this frame.
global return_to_handler, return_to_handler_end
return_to_handler:
	CFI_RETURNED
; LAB 5: Keep the function's result, call ftrace_return_to_handler, and return to the true caller.
; Starts as:
;	ud2
; .called:
	push	qword [rel handler_address]
	push	rbp
	mov	rbp, rsp
	CFI_BASE rbp
	inc	dword [gs:__preempt_count]
	sub	rsp, PT_SIZE + 8		; struct ftrace_regs, and alignment
	mov	[rsp + PT_AX], rax
	mov	[rsp + PT_DX], rdx
	mov	qword [rsp + PT_CS], 0		; the other registers are not saved
	mov	rdi, rsp
	call	[rel ftrace_return_to_handler]
.called:
	mov	rax, [rsp + PT_AX]
	mov	rdx, [rsp + PT_DX]
	dec	dword [gs:__preempt_count]
	jz	.preempt			; a task switch is allowed and pending
	leave
	ret
.preempt:
	CFI_FRAME
	call	preempt_schedule
	mov	rax, [rsp + PT_AX]
	mov	rdx, [rsp + PT_DX]
	leave
	ret
; END LAB 5
return_to_handler_end:

; The callback while a user of fgraph wants all registers: fills in the rest of struct ftrace_regs.
; rdi points to it; the value that rdi had is lost. ip is left out: it is the true return address,
; which the callback finds in the frame.
global fgraph_save_regs
fgraph_save_regs:
	CFI_FUNCTION
	mov	[rdi + PT_R15], r15
	mov	[rdi + PT_R14], r14
	mov	[rdi + PT_R13], r13
	mov	[rdi + PT_R12], r12
	mov	[rdi + PT_BX], rbx
	mov	[rdi + PT_R11], r11
	mov	[rdi + PT_R10], r10
	mov	[rdi + PT_R9], r9
	mov	[rdi + PT_R8], r8
	mov	[rdi + PT_CX], rcx
	mov	[rdi + PT_SI], rsi
	mov	rsi, [rbp]			; of the caller
	mov	[rdi + PT_BP], rsi
	lea	rsi, [rbp + 16]			; above the return address
	mov	[rdi + PT_SP], rsi
	mov	qword [rdi + PT_CS], KERNEL_CS
	mov	qword [rdi + PT_SS], KERNEL_SS
	pushfq
	pop	qword [rdi + PT_FLAGS]
	jmp	[rel ftrace_return_with_regs]
	CFI_END

section .rodata progbits alloc noexec nowrite align=8
handler_address:
	dq	return_to_handler
global return_to_handler_called
return_to_handler_called:
	dq	return_to_handler.called
