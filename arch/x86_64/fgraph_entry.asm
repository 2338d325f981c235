; Where a function returns to whose return address was replaced (trace/fgraph/fgraph.c).
;
; The address is put back on the stack first, in its old place, so that a backtrace from any
; instruction below finds the frame of a function that was called: the traced one's caller is its
; caller. What is called below replaces it by the true one, which the return then takes.
; A function's value is in rax and rdx; there are no floating-point registers in the kernel.

%include "arch/ptrace.inc"

extern ftrace_return_to_handler, preempt_schedule, __preempt_count

section .entry.text progbits alloc exec nowrite align=16
bits 64

; Preemption is off from the first to the last instruction that knows of a callback. Before that the
; task may be switched out; its shadow stack stands.
global return_to_handler, return_to_handler_end
return_to_handler:
	push	qword [rel handler_address]
	push	rbp
	mov	rbp, rsp
	inc	dword [gs:__preempt_count]
	sub	rsp, PT_SIZE + 8		; struct ftrace_regs, and alignment
	mov	[rsp + PT_AX], rax
	mov	[rsp + PT_DX], rdx
	mov	qword [rsp + PT_CS], 0		; there are only these
	mov	rdi, rsp
	call	[rel ftrace_return_to_handler]
.called:
	mov	rax, [rsp + PT_AX]
	mov	rdx, [rsp + PT_DX]
	dec	dword [gs:__preempt_count]
	jz	.preempt			; a switch is allowed and wanted
	leave
	ret
.preempt:
	call	preempt_schedule
	mov	rax, [rsp + PT_AX]
	mov	rdx, [rsp + PT_DX]
	leave
	ret
return_to_handler_end:

section .rodata progbits alloc noexec nowrite align=8
handler_address:
	dq	return_to_handler
global return_to_handler_called
return_to_handler_called:
	dq	return_to_handler.called
