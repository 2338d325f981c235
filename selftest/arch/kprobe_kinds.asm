; For the self-tests of kprobes: a function with each kind of instruction that is emulated, and with
; rip-relative operands (selftest/trace/kprobes.c).

default rel
section .text progbits alloc exec nowrite align=16
bits 64

; u64 kprobe_kinds_add(u64 a)
global kprobe_kinds_add:function (kprobe_kinds_add.end - kprobe_kinds_add)
kprobe_kinds_add:
	lea	rax, [rdi + rdi * 4 + 3]
	ret
.end:

; u64 kprobe_kinds(u64 n): a checksum of n
global kprobe_kinds:function (kprobe_kinds.end - kprobe_kinds)
kprobe_kinds:
	push	rbx
	push	rbp
	mov	rbp, rsp
	mov	rbx, rdi
	xor	edx, edx
	call	kprobe_kinds_add
	add	rdx, rax
	add	rdx, [table]
	mov	rcx, 0x123456789abcdef
	imul	rdx, rcx
	lea	rcx, [kprobe_kinds_add]
	mov	rdi, rdx
	push	rdx
	call	rcx
	pop	rdx
	xor	rdx, rax
	mov	rdi, rbx
	call	[table + 8]
	add	rdx, rax
	mov	ecx, 1
	lea	rsi, [table]
	call	[rsi + rcx * 8]
	rol	rdx, 7
	cmp	rbx, 5
	pushfq
	mov	eax, [rsp]
	and	eax, 0x8d5			; CF PF AF ZF SF OF
	add	rdx, rax
	popfq
	ja	.above
	add	rdx, 17
.above:	cmp	rdx, rbx
	jl	.less
	add	rdx, 19
.less:	test	bl, 1
	jz	.even
	jmp	.odd
.even:	add	rdx, 23
.odd:	mov	ecx, 3
.again:	rol	rdx, 3
	add	rdx, rcx
	loop	.again
	jrcxz	.zero
	ud2
.zero:	bt	rdx, rbx
	setc	al
	movzx	eax, al
	adc	rdx, rax
	push	rdx
	lock add qword [rsp], 31
	pop	rdx
	push	29
	add	rdx, [rsp]
	lea	rsp, [rsp + 8]
	sub	rsp, 8
	mov	[rsp], edx
	mov	[rsp + 4], ss
	lss	eax, [rsp]
	add	rdx, rax
	mov	word [rsp + 4], 0
	lfs	eax, [rsp]
	add	rdx, rax
	add	rsp, 8
	push	fs
	pop	fs
	mov	eax, es
	mov	es, eax
	mov	rax, rdx
	leave
	pop	rbx
	ret
.end:

global kprobe_kinds_end
kprobe_kinds_end:

section .rodata progbits alloc noexec nowrite align=8
table:	dq 0x5555aaaa5555, kprobe_kinds_add

%include "arch/mm/uaccess.inc"

section .text

; long kprobe_call_memory(u64 a, void *fn): (*fn)(a), or -14 if fn cannot be read
global kprobe_call_memory:function (kprobe_call_memory.end - kprobe_call_memory)
kprobe_call_memory:
	sub	rsp, 8
.call:	call	[rsi]
.done:	add	rsp, 8
	ret
.bad:	mov	rax, -14
	jmp	.done
.end:
EXTABLE .call, .bad

; u64 kprobe_operands(u64 a, unsigned long fn_of_cpu): operands with gs, and with an index but no
; base
global kprobe_operands:function (kprobe_operands.end - kprobe_operands)
kprobe_operands:
	sub	rsp, 8
	call	[gs:rsi]
	mov	rdi, rax
	mov	edx, 1
	call	[nosplit rdx * 8 + table]
	mov	rdi, rax
	mov	rdx, -1
	call	[gs:rsi + rdx * 8 + 8]
	add	rsp, 8
	ret
.end:
global kprobe_operands_end
kprobe_operands_end:
