; Programs of the self-tests of ring 3 (ring3.c). Each is copied to RING3_CODE and runs there; r15
; holds RING3_DATA, where it leaves its results. HLT is not allowed in ring 3: #GP ends the program.

section .rodata progbits alloc noexec nowrite align=16
bits 64

NO_CALL		equ 511			; no system call has this number
FLAGS_ODD	equ 0x40cd5		; CF PF AF ZF SF DF OF AC and bit 14 (NT) below
FLAGS_NT	equ 0x4000

%macro PROGRAM 1
global %1, %1_end
align 16
%1:
	mov	r15d, 0x500000
%endmacro

%macro PROGRAM_END 1
	hlt
%1_end:
%endmacro

; data[0] = result, data[1..14] = registers after the call, data[15] = flags after it
PROGRAM ring3_registers
	mov	ebx, 0x101
	mov	ebp, 0x102
	mov	edi, 0x103
	mov	esi, 0x104
	mov	edx, 0x105
	mov	r8d, 0x108
	mov	r9d, 0x109
	mov	r10d, 0x10a
	mov	r12d, 0x10c
	mov	r13d, 0x10d
	mov	r14d, 0x10e
	push	FLAGS_ODD | FLAGS_NT
	popfq
	mov	rax, 0x1234567800000000 | NO_CALL
	syscall
.after:	pushfq
	cld
	mov	[r15], rax
	mov	[r15 + 1 * 8], rbx
	mov	[r15 + 2 * 8], rbp
	mov	[r15 + 3 * 8], rdi
	mov	[r15 + 4 * 8], rsi
	mov	[r15 + 5 * 8], rdx
	mov	[r15 + 6 * 8], r8
	mov	[r15 + 7 * 8], r9
	mov	[r15 + 8 * 8], r10
	mov	[r15 + 9 * 8], r12
	mov	[r15 + 10 * 8], r13
	mov	[r15 + 11 * 8], r14
	mov	[r15 + 12 * 8], rsp
	lea	rax, [rel .after]
	sub	rcx, rax
	mov	[r15 + 13 * 8], rcx
	mov	[r15 + 14 * 8], r11
	pop	qword [r15 + 15 * 8]
	xor	eax, eax
	mov	ax, ds
	mov	[r15 + 16 * 8], rax
	mov	ax, cs
	mov	[r15 + 17 * 8], rax
	mov	ax, ss
	mov	[r15 + 18 * 8], rax
PROGRAM_END ring3_registers

; Counts in data[0], with all registers in use, until data[1] is not 0. Never calls the kernel.
PROGRAM ring3_spin
	mov	rbx, 0x1122334455667788
	mov	r14, rsp
.loop:	inc	qword [r15]
	cmp	rsp, r14
	jne	.bad
	mov	rax, 0x1122334455667788
	cmp	rax, rbx
	jne	.bad
	cmp	qword [r15 + 8], 0
	je	.loop
	mov	qword [r15 + 16], 1
.bad:
PROGRAM_END ring3_spin

; The same with a system call each time.
PROGRAM ring3_call
	mov	rbx, 0x1122334455667788
	mov	r14, rsp
.loop:	inc	qword [r15]
	mov	eax, NO_CALL
	syscall
	cmp	rax, -38
	jne	.bad
	cmp	rsp, r14
	jne	.bad
	mov	rax, 0x1122334455667788
	cmp	rax, rbx
	jne	.bad
	cmp	qword [r15 + 8], 0
	je	.loop
	mov	qword [r15 + 16], 1
.bad:
PROGRAM_END ring3_call

; Puts data[3], once it is not 0, into registers of all kinds, and compares them until data[1] is
; not 0. Counts in data[0]. 1: makes system calls in each round, and compares FS and GS, too.
%macro OWN_REGISTERS 1
.wait:	mov	rbx, [r15 + 24]
	test	rbx, rbx
	jz	.wait
	movq	xmm0, rbx
	movq	xmm15, rbx
	movq	mm3, rbx
	mov	eax, 158			; arch_prctl(ARCH_SET_GS, value)
	mov	edi, 0x1001
	mov	rsi, rbx
	syscall
	mov	eax, 158			; arch_prctl(ARCH_SET_FS, value)
	mov	edi, 0x1002
	mov	rsi, rbx
	syscall
.loop:	inc	qword [r15]
%if %1
	mov	eax, NO_CALL
	syscall
%endif
	movq	rax, xmm0
	cmp	rax, rbx
	jne	.bad
	movq	rax, xmm15
	cmp	rax, rbx
	jne	.bad
	movq	rax, mm3
	cmp	rax, rbx
	jne	.bad
%if %1
	lea	r14, [r15 + 64]
	mov	eax, 158			; arch_prctl(ARCH_GET_GS, data + 64)
	mov	edi, 0x1004
	mov	rsi, r14
	syscall
	cmp	[r14], rbx
	jne	.bad
	mov	eax, 158			; arch_prctl(ARCH_GET_FS, data + 64)
	mov	edi, 0x1003
	mov	rsi, r14
	syscall
	cmp	[r14], rbx
	jne	.bad
%endif
	cmp	qword [r15 + 8], 0
	je	.loop
	mov	qword [r15 + 16], 1
.bad:
%endmacro

PROGRAM ring3_own_registers
	OWN_REGISTERS 0
PROGRAM_END ring3_own_registers

PROGRAM ring3_own_registers_calls
	OWN_REGISTERS 1
PROGRAM_END ring3_own_registers_calls

; System calls with GS bases from data[3], data[4] and others, until data[1] is not 0.
PROGRAM ring3_odd_gs
.wait:	cmp	qword [r15 + 40], 0
	je	.wait
.loop:	inc	qword [r15]
%assign i 0
%rep 4
  %if i < 2
	mov	rbx, [r15 + 24 + i * 8]
  %elif i == 2
	mov	rbx, -1
  %else
	xor	ebx, ebx
  %endif
	wrgsbase rbx
	mov	eax, NO_CALL
	syscall
	cmp	rax, -38
	jne	.bad
	rdgsbase rax
	cmp	rax, rbx
	jne	.bad
%assign i i + 1
%endrep
	cmp	qword [r15 + 8], 0
	je	.loop
	mov	qword [r15 + 16], 1
.bad:
PROGRAM_END ring3_odd_gs

; data[0] = the TSC ticks of data[1] system calls with the number data[2].
PROGRAM ring3_measure
.wait:	mov	rbx, [r15 + 8]
	test	rbx, rbx
	jz	.wait
	mov	r12, [r15 + 16]
	rdtsc
	shl	rdx, 32
	lea	r14, [rdx + rax]
.loop:	mov	eax, r12d
	syscall
	dec	rbx
	jnz	.loop
	rdtsc
	shl	rdx, 32
	add	rax, rdx
	sub	rax, r14
	mov	[r15], rax
PROGRAM_END ring3_measure

; One exception each.
%macro FAULTING 1
global ring3_%1, ring3_%1_end
align 16
ring3_%1:
	mov	r15d, 0x500000
%endmacro

FAULTING divide
	xor	edx, edx
	xor	ecx, ecx
	div	ecx
ring3_divide_end:
FAULTING ud2
	ud2
ring3_ud2_end:
FAULTING int3
	int3
ring3_int3_end:
FAULTING int80
	int	0x80
ring3_int80_end:
FAULTING step
	push	0x102
	popfq
	nop
	nop
ring3_step_end:
FAULTING step_into_syscall
	push	0x102
	mov	eax, NO_CALL
	popfq
	syscall
	nop
	nop
ring3_step_into_syscall_end:
FAULTING noncanonical
	mov	rax, 0x8000000000000000
	jmp	rax
ring3_noncanonical_end:
FAULTING kernel_read
	mov	rax, 0xffffffff80100000
	mov	rax, [rax]
ring3_kernel_read_end:
FAULTING kernel_jump
	mov	rax, 0xffffffff80100000
	jmp	rax
ring3_kernel_jump_end:
FAULTING cli
	cli
ring3_cli_end:
