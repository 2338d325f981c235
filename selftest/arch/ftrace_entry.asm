; For the self-tests of tracing: calls a function with chosen values in all registers and flags
; (arch/ftrace/ftrace.h).

%include "arch/cpu/ptrace.inc"

; In the order of struct pt_regs, without rsi, which points to the struct.
%define REGISTERS	r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx

%macro LOAD 1-*
  %assign place 0
  %rep %0
	mov	%1, [rsi + place]
    %assign place place + 8
    %rotate 1
  %endrep
%endmacro

%macro STORE 1-*
  %assign place 0
  %rep %0
	mov	[rsi + place], %1
    %assign place place + 8
    %rotate 1
  %endrep
%endmacro

section .entry.text progbits alloc exec nowrite align=16
bits 64

global ftrace_call_with_regs
ftrace_call_with_regs:
	push	rbp
	push	rbx
	push	r12
	push	r13
	push	r14
	push	r15
	push	rsi
	push	rdi
	LOAD	REGISTERS
	push	qword [rsi + PT_FLAGS]
	popfq					; what follows keeps the flags
	mov	rdi, [rsi + PT_DI]
	mov	rsi, [rsi + PT_SI]
	call	[rsp]
	xchg	rsi, [rsp + 8]			; save the new rsi, restore the pointer
	STORE	REGISTERS
	mov	[rsi + PT_DI], rdi
	pushfq
	pop	qword [rsi + PT_FLAGS]
	pop	rdi
	pop	qword [rsi + PT_SI]
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbx
	pop	rbp
	ret
