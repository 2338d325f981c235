; Where the call at the start of every function goes: nowhere, or to a tracer.
;
; The call is the function's first instruction, so the stack holds, from the top, the address
; behind the call site, then the function's own return address; rbp is the caller's. The C
; callback may clobber what the ABI lets it; the function has its arguments in those registers,
; so they are saved.

extern ftrace_stub_func, function_trace_op, preempt_schedule, __preempt_count

SITE_SIZE	equ 5			; call rel32

section .text progbits alloc exec nowrite align=16
bits 64

; As long as no tracer has replaced it.
global __fentry__
__fentry__:
	ret

; Two frames for the unwinder, which goes by rbp: the function that was called (it has not made
; its own yet), and the one that called it. Then struct ftrace_regs (arch/x86_64/ftrace.h).
;
; Preemption is off from the first to the last instruction that knows of a callback or an ops:
; once every CPU has switched tasks, nobody still runs an old one (trace/ftrace.c).
global ftrace_caller, ftrace_call
ftrace_caller:
	inc	dword [gs:__preempt_count]
	push	qword [rsp + 8]			; the parent's frame: its return address
	push	rbp
	mov	rbp, rsp
	push	qword [rsp + 16]		; the function's: behind its site
	push	rbp
	mov	rbp, rsp
	push	rax
	push	rcx
	push	rdx
	push	rsi
	push	rdi
	push	r8
	push	r9
	push	r10
	push	r11
	mov	rdi, [rbp + 8]
	sub	rdi, SITE_SIZE
	mov	rsi, [rbp + 24]
	mov	rdx, [rel function_trace_op]
	mov	rcx, rsp
ftrace_call:
	call	ftrace_stub_func		; patched while it runs
	dec	dword [gs:__preempt_count]
	jz	.preempt			; a switch is allowed and wanted
.restore:
	pop	r11
	pop	r10
	pop	r9
	pop	r8
	pop	rdi
	pop	rsi
	pop	rdx
	pop	rcx
	pop	rax
	mov	rbp, [rsp + 16]
	add	rsp, 32
	ret
.preempt:
	call	preempt_schedule
	jmp	.restore
