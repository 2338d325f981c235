; Programs for the self-tests of uprobes (uprobes.c), which write them to a file, map it at
; RING3_CODE, and put probes on their instructions. r15 holds RING3_DATA.

section .rodata progbits alloc noexec nowrite align=16
bits 64

; Computes a checksum in rbx with instructions of all kinds that probes treat differently, and
; leaves it in data[0], after data[1] rounds. The words at `own` are in the file's page; they are
; only read, because the area is not writable.
global uprobe_sums, uprobe_sums_code, uprobe_sums_end
align 16
uprobe_sums:
	mov	r15d, 0x500000
	mov	r12, [r15 + 8]
	xor	ebx, ebx
uprobe_sums_code:
.round:	nop
	nop	dword [rax + rax * 8 + 0x12345678]
	endbr64
	push	rbx
	push	r12
	pop	rax
	add	rbx, rax
	pop	rax
	lea	rax, [rax + rbx * 2 + 5]
	add	rbx, rax
	lea	rax, [rel own]
	sub	rax, r15			; an address: the same in each run
	add	rbx, rax
	mov	rsi, [rel own]
	add	rbx, rsi
	mov	r14, [rel own + 8]
	add	rbx, r14
	mov	rdi, 7
	mov	rsi, 3
	imul	rsi, [rel own], 5		; the register is the scratch register
	add	rbx, rsi
	imul	rdi, [rel own + 8]
	add	rbx, rdi
	cmp	qword [rel own + 16], 3
	adc	rbx, 0
	mov	rax, 77
	mul	qword [rel own]
	add	rbx, rax
	add	rbx, rdx
	movdqu	xmm3, [rel own]
	movdqu	xmm9, [rel own + 8]
	paddq	xmm3, xmm9
	movdqu	xmm10, [rel own + 16]
	paddq	xmm9, xmm10
	movq	rax, xmm3
	add	rbx, rax
	movq	rax, xmm9
	xor	rbx, rax
	stc
	pushfq
	clc
	popfq
	adc	rbx, 1
	pushfq
	pop	rax
	and	eax, 0x8d5			; CF PF AF ZF SF OF, not TF
	add	rbx, rax
	pushfq
	pop	rax
	and	eax, 0x100			; TF: no probe may be seen here
	add	rbx, rax
	call	.leaf
	mov	rax, .leaf_pops - uprobe_sums + 0x400000
	push	rbx
	call	rax
	mov	rax, .leaf - uprobe_sums + 0x400000
	mov	[r15 + 64], rax
	call	[r15 + 64]
	lea	r13, [r15 + 64]
	mov	ecx, 0
	call	[r13 + rcx * 8 + 0]
	mov	rax, .jumped - uprobe_sums + 0x400000
	jmp	rax
	add	rbx, 1000
.jumped:
	mov	ecx, 5
.loop:	add	rbx, rcx
	loop	.loop
	jrcxz	.zero
	add	rbx, 2000
.zero:	mov	ecx, 3
	cmp	ecx, 3
.again:	lea	rbx, [rbx + rbx * 4 + 1]
	cmp	ecx, ebx
	loopne	.again
	test	rbx, rbx
	js	.sign
	add	rbx, 11
.sign:	jp	.parity
	add	rbx, 13
.parity:
	jc	near .carry
	add	rbx, 17
.carry:	jg	near .greater
	sub	rbx, 19
.greater:
	jbe	.below
	xor	rbx, 23
.below:	lea	rdi, [r15 + 128]
	mov	rax, rbx
	mov	ecx, 40
	rep stosb
	mov	rax, rsi
	lea	rsi, [r15 + 128]
	lea	rdi, [r15 + 256]
	mov	ecx, 40
	rep movsb
	mov	rax, [r15 + 256 + 24]
	add	rbx, rax
	mov	rax, rbx
	lock xadd [r15 + 128], rax
	add	rbx, rax
	mov	rax, [r15 + 128]
	mov	rdx, 5
	lock cmpxchg [r15 + 128], rdx
	sete	al
	movzx	eax, al
	add	rbx, rax
	mov	cl, 13
	rol	rbx, cl
	bt	rbx, 3
	cmovc	rax, rbx
	xor	rbx, rax
	enter	32, 0
	mov	[rbp - 8], rbx
	add	rbx, [rbp - 8]
	leave
	push	qword [r15 + 128]
	pop	qword [r15 + 136]
	push	0x1234
	pop	rax
	xchg	rax, rbx
	xor	rbx, rax
	mov	rdx, 0
	mov	rax, rbx
	mov	ecx, 1000003
	div	rcx
	xor	rbx, rdx
	std
	cld
	bswap	rbx
	dec	r12
	jnz	near .round
	mov	[r15], rbx
	mov	eax, 231			; exit_group
	xor	edi, edi
	syscall
.leaf:	push	rbp
	mov	rbp, rsp
	add	rbx, 0x55
	pop	rbp
	ret
.leaf_pops:
	add	rbx, 0x66
	ret	8
uprobe_sums_end:
	align	16
own:	dq	0x1122334455667788, 0x99aabbccddeeff01, 2, 4
global uprobe_sums_file_end
uprobe_sums_file_end:
