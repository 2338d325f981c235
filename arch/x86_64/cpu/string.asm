; memcpy, memmove, memset: the compiler emits calls of these for copies and clears.
;
; They are in assembly because the compiler would recognize a C loop as memcpy and make it call
; itself. They have no frame and no call site of ftrace, which makes them fast and not traceable.
; Any context.

%include "arch/cpu/cfi.inc"

section .text

global memcpy, memmove, memset

; void *memcpy(rdi dst, rsi src, rdx n)
memcpy:
	CFI_FUNCTION
	mov	rax, rdi
	mov	rcx, rdx
	shr	rcx, 3
	rep movsq
	mov	ecx, edx
	and	ecx, 7
	rep movsb
	ret

; void *memmove(rdi dst, rsi src, rdx n): copies forwards unless dst lies inside [src, src + n)
memmove:
	mov	rax, rdi
	sub	rax, rsi
	cmp	rax, rdx
	jae	memcpy
	mov	rax, rdi
.quads:	; backwards, without STD: an interrupt handler needs the direction flag clear
	sub	rdx, 8
	jb	.bytes
	mov	rcx, [rsi + rdx]
	mov	[rdi + rdx], rcx
	jmp	.quads
.bytes:
	add	rdx, 8
.byte:
	sub	rdx, 1
	jb	.done
	mov	cl, [rsi + rdx]
	mov	[rdi + rdx], cl
	jmp	.byte
.done:
	ret

; void *memset(rdi dst, esi byte, rdx n)
memset:
	mov	r8, rdi
	movzx	eax, sil
	mov	rcx, 0x0101010101010101
	imul	rax, rcx
	mov	rcx, rdx
	shr	rcx, 3
	rep stosq
	mov	ecx, edx
	and	ecx, 7
	rep stosb
	mov	rax, r8
	ret
	CFI_END
