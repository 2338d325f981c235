; fgraph replaces the return address of a traced function by return_to_handler
; (trace/fgraph/fgraph.c).
;
; The code first pushes its own address to the old place of the return address. So a backtrace from
; any instruction below sees a normal frame: a function that the caller of the traced function has
; called. The C function that is called below replaces the address by the true return address, and
; the ret at the end uses it. The traced function's result is in rax and rdx; the kernel does not
; use floating-point registers.

%include "arch/ptrace.inc"

extern ftrace_return_to_handler, preempt_schedule, __preempt_count

section .entry.text progbits alloc exec nowrite align=16
bits 64

; Preemption is off while the code uses a callback. Before that the task may be switched out; its
; shadow stack is not freed, because it still has this frame.
global return_to_handler, return_to_handler_end
return_to_handler:
	push	qword [rel handler_address]
	push	rbp
	mov	rbp, rsp
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
