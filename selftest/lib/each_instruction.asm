; For the self-tests: calls a function with the CPU's single-step mode on (each_instruction.h).

X86_EFLAGS_TF	equ 1 << 8

section .text progbits alloc exec nowrite align=16
bits 64

; rdi: function, rsi: its argument. The CPU raises a debug exception after each instruction, from
; the call on (Intel SDM 3B 17.3.1.4).
global call_single_stepped
call_single_stepped:
	push	rbp
	mov	rbp, rsp
	mov	rax, rdi
	mov	rdi, rsi
	pushfq
	or	qword [rsp], X86_EFLAGS_TF
	popfq
	call	rax
	pushfq
	and	qword [rsp], ~X86_EFLAGS_TF
	popfq
	pop	rbp
	ret
