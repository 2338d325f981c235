; For the self-tests of optimized kprobes: functions in which a jump can replace the instructions at
; an offset, or cannot (selftest/trace/kprobe_jump.c). Jumps have no labels, because a label is a
; symbol, and the function would end there.

%include "arch/mm/uaccess.inc"

default rel
section .text progbits alloc exec nowrite align=16
bits 64

%macro FUNCTION 1
global %1:function (%1.end - %1)
%1:
%endmacro

; u64 kprobe_jump_popf(u64 flags, u64 a): loads the flags; 3 * a. An interrupt that was pending with
; interrupts off comes between popfq and lea, so it interrupts the covered instructions.
FUNCTION kprobe_jump_popf
	push	rdi
	popfq
	lea	rax, [rsi + rsi * 2]
	nop
	ret
.end:

; u64 kprobe_jump_flags(u64 flags, u64 a): loads the arithmetic flags, and returns them in ah and
; setc and seto in al, xor a rotation of a
FUNCTION kprobe_jump_flags
	push	rdi
	popfq
	mov	rcx, rsi
	mov	rdx, [table]
	lahf
	setc	al
	movzx	eax, ax
	seto	cl
	rol	rsi, 13
	xor	rax, rsi
	xor	rax, rdx
	add	rax, rcx
	ret
.end:

; Refused: something jumps into the covered bytes.
FUNCTION kprobe_jump_target
	xor	eax, eax
	inc	eax
	cmp	eax, 5
	lea	eax, [rax + 1]
	jb	$ - 6				; to cmp
	ret
.end:

; Refused: an indirect jump may lead anywhere.
FUNCTION kprobe_jump_indirect
	lea	rcx, [$ + 17]			; ret
	mov	rdx, rcx
	mov	eax, 7
	jmp	rdx
	ret
.end:

; Refused: a call, whose return address would be that of the copy; a jump; the end of the function.
FUNCTION kprobe_jump_call
	nop
	inc	eax
	call	kprobe_jump_flags
	inc	eax
	jz	$ + 3
	nop
	nop
	inc	eax
	ret
.end:

; Refused: the exception table has one of them.
FUNCTION kprobe_jump_fault
	nop
	xor	eax, eax
	mov	rax, [rdi]
	ret
	mov	eax, ebx
	inc	rax
	inc	rax
	ret
.end:
EXTABLE kprobe_jump_fault + 3, kprobe_jump_fault + 9

section .rodata progbits alloc noexec nowrite align=8
table:	dq 0x5555aaaa5555
