; memcpy, memmove, memset: what the compiler itself calls for copies and clears.
;
; In assembly because a C loop would be recognised as the very function it is in. Not traceable for
; the same reason that makes them fast: no frame, no entry nop. Any context.

section .text

global memcpy, memmove, memset

; void *memcpy(rdi dst, rsi src, rdx n)
memcpy:
	mov	rax, rdi
	mov	rcx, rdx
	shr	rcx, 3
	rep movsq
	mov	ecx, edx
	and	ecx, 7
	rep movsb
	ret

; void *memmove(rdi dst, rsi src, rdx n): forwards unless dst lies inside [src, src + n)
memmove:
	mov	rax, rdi
	sub	rax, rsi
	cmp	rax, rdx
	jae	memcpy
	mov	rax, rdi
.quads:	; from the end, without STD: an interrupt must find the direction flag clear
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
