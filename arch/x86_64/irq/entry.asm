; Entries of all 256 vectors: save the registers as struct pt_regs, call C, return.
;
; GS. In the kernel the GS base is that of this CPU's per-CPU area; in a program it is the program's
; own, and the per-CPU base waits in MSR_KERNEL_GS_BASE. SWAPGS exchanges the two. It is the first
; instruction of each entry from ring 3 and the last before the return. In the few instructions
; between, the kernel runs with the program's GS base. Only an NMI, #DB, #MC or #DF can come there,
; and their entries do not trust the GS base: see IST_ENTER.
;
; The stack. An entry from ring 3 begins at the top of the task's stack (TSS.rsp0), so its pt_regs
; are task_pt_regs(current). docs/ring-3.md explains the ways in and out.

%include "arch/irq/entry.inc"

extern do_exception, do_int3, do_nmi, do_interrupt, fix_bad_iret, ring3_ops
extern nmi_running, cpu_tss, debugreg_control
extern return_from_interrupt, iret_to_user

MSR_GS_BASE	equ 0xc0000101
RING3_EXCEPTION	equ 8			; in struct ring3_ops (ring3.h)
DR7_FIXED	equ 0x400		; arch/cpu/special_insns.h
USER_DS		equ 0x2b		; arch/irq/descriptors.h
USER_CS		equ 0x33
EFLAGS_IF	equ 0x200

section .entry.text progbits alloc exec nowrite align=16
bits 64

; Jumps if the entry is from ring 3. The CPU's frame is %1 bytes above rsp.
%macro JUMP_IF_USER 2
	test	byte [rsp + %1 + 8], 3
	jnz	%2
%endmacro

%macro ERROR_CODE 1
%if %1 == 8 || (%1 >= 10 && %1 <= 14) || %1 == 17 || %1 == 21 || %1 == 29 || %1 == 30
	CFI_TRAP 8
%else
	CFI_TRAP 0
	push	0
%endif
%endmacro

; Exceptions without an entry of their own below: do_exception(regs, vector). For some vectors the
; CPU pushes an error code (Intel SDM 3A 6.13). For the others the entry pushes 0.
%macro EXCEPTION 1-2
%if %0 == 2
asm_exc_%2:
%endif
exception_%1:
	ERROR_CODE %1
	JUMP_IF_USER 8, %%user
	PUSH_REGS
	mov	esi, %1
	call	do_exception
	jmp	return_to_kernel
%%user:	CFI_TRAP 8
	swapgs
	PUSH_REGS
	mov	esi, %1
	call	do_exception
	jmp	return_from_interrupt
%endmacro

	EXCEPTION 0, divide_error
	EXCEPTION 4, overflow
	EXCEPTION 5, bounds
	EXCEPTION 6, invalid_op
	EXCEPTION 7, device_not_available
	EXCEPTION 9, coproc_segment_overrun
	EXCEPTION 10, invalid_tss
	EXCEPTION 15
	EXCEPTION 16, coprocessor_error
	EXCEPTION 17, alignment_check
	EXCEPTION 19, simd_coprocessor_error
%assign vector 20
%rep 12
	EXCEPTION vector
%assign vector vector + 1
%endrep

; #NP, #SS, #GP and #PF: do_exception(regs, vector).
;
; In the kernel the fault may be one that the exception table expects, and this may be in an NMI
; handler. So the CPU's frame is copied, and the return is as for #BP.
;
; The IRET that returns to ring 3 faults if a program has made a frame for it that is not possible.
; That is a fault of the program: fix_bad_iret() builds the pt_regs that an entry from ring 3 would
; have built, and the rest is as if the program had made the fault.
%macro FAULT 2
asm_exc_%2:
exception_%1:
	CFI_TRAP 8
	JUMP_IF_USER 8, %%user
	cmp	qword [rsp + 8], iret_to_user
	je	%%bad_iret
%rep 6
	push	qword [rsp + 5 * 8]
%endrep
	CFI_TRAP 8
	PUSH_REGS
	mov	esi, %1
	call	do_exception
	jmp	exception_return
%%bad_iret:
	CFI_TRAP 8
	swapgs
	PUSH_REGS
	call	fix_bad_iret
	mov	rdi, rax
	lea	rbp, [rax + 1]
	lea	rsp, [rax - 8]
	CFI_REGS
	jmp	%%handle
%%user:	CFI_TRAP 8
	swapgs
	PUSH_REGS
%%handle:
	mov	esi, %1
	call	do_exception
	jmp	return_from_interrupt
%endmacro

	FAULT 11, segment_not_present
	FAULT 12, stack_segment
	FAULT 13, general_protection
	FAULT 14, page_fault

; Entries with a stack of their own may come when the GS base is that of a program, and a program
; can give it any value, also one that looks like the kernel's. So the CPU keeps its per-CPU base in
; a word above the frame, at the top of each such stack (set_ist() in descriptors.c). IST_ENTER
; loads the GS base from there, and keeps the interrupted one in rbx, which C preserves. IST_LEAVE
; puts that one back.
%macro IST_ENTER 0
	mov	ecx, MSR_GS_BASE
	rdmsr
	mov	rbx, rdx
	shl	rbx, 32
	or	rbx, rax
	mov	rax, [rdi + PT_SIZE]
	cmp	rax, rbx
	je	%%same
	mov	rdx, rax
	shr	rdx, 32
	wrmsr
%%same:
%endmacro

%macro IST_LEAVE 0
	cmp	rbx, [rsp + 8 + PT_SIZE]
	je	%%same
	mov	ecx, MSR_GS_BASE
	mov	eax, ebx
	mov	rdx, rbx
	shr	rdx, 32
	wrmsr
%%same:	POP_REGS
	add	rsp, 8
	CFI_ADJUST -8
	iretq
%endmacro

; Switches the debug registers off (arch/cpu/debugreg.h), before C uses what is watched: the #DB
; within would begin at the top of the same stack, or unblock NMIs. r12 keeps DR7: C preserves it.
%macro DEBUGREG_OFF 0
	mov	r12, dr7
	mov	eax, DR7_FIXED
	mov	dr7, rax
%endmacro

; #DF and #MC: do_exception(regs, vector) reports, and does not return.
%macro IST_EXCEPTION 2
asm_exc_%2:
exception_%1:
	ERROR_CODE %1
	PUSH_REGS
	IST_ENTER
	mov	esi, %1
	call	do_exception
	ud2
%endmacro

	IST_EXCEPTION 8, double_fault
	IST_EXCEPTION 18, machine_check

; #DB: do_exception(regs, vector). From ring 3 it may end in a signal, and the task may sleep on the
; way. So the frame moves to the task's stack, and C switches the debug registers on again.
;
; QEMU (7.2) raises two #DB for an instruction of a program that is single-stepped and hits a debug
; register. The second one comes at the first instruction here, and its frame overwrites the first
; one: where the program was is lost. It gets a SIGTRAP at the address 0. Only programs are stepped.
asm_exc_debug:
exception_1:
	CFI_TRAP 0
	push	0
	JUMP_IF_USER 8, .user
	cmp	qword [rsp + 8], asm_exc_debug
	je	.lost
	PUSH_REGS
	IST_ENTER
	DEBUGREG_OFF
	mov	esi, 1
	call	do_exception
	mov	dr7, r12
	IST_LEAVE
.lost:	CFI_TRAP 8
	mov	qword [rsp + 8], 0	; rip
	mov	qword [rsp + 16], USER_CS
	or	qword [rsp + 24], EFLAGS_IF
	mov	qword [rsp + 32], 0	; rsp
	mov	qword [rsp + 40], USER_DS
.user:	CFI_TRAP 8
	swapgs
	push	rax
	mov	eax, DR7_FIXED		; the task's stack may be watched
	mov	dr7, rax
	mov	rax, rsp
	CFI_BASE rax
	mov	rsp, [gs:cpu_tss + TSS_RSP0]
%assign word 6
%rep 6
	push	qword [rax + word * 8]
%assign word word - 1
%endrep
	mov	rax, [rax]
	CFI_TRAP 8
	PUSH_REGS
	mov	esi, 1
	call	do_exception
	jmp	return_from_interrupt

; NMI: do_nmi(regs). No exception that returns into a running NMI handler may use IRET: IRET
; unblocks NMIs, and the next NMI would overwrite this one's stack. See exception_3. The test is
; nmi_running and not the preempt count: do_nmi() and nmi_enter() have call sites too, and so may
; hit breakpoints before the count changes.
asm_exc_nmi:
exception_2:
	CFI_TRAP 0
	push	0
	PUSH_REGS
	IST_ENTER
	inc	dword [gs:nmi_running]
	cmp	qword [gs:debugreg_control], 0
	jne	.watched
	call	do_nmi
.leave:	dec	dword [gs:nmi_running]
	IST_LEAVE
.watched:
	CFI_REGS
	DEBUGREG_OFF
	call	do_nmi
	mov	dr7, r12
	jmp	.leave

; #BP: do_int3(regs). In the kernel: copies the CPU's frame 6 words lower. In the gap above the copy
; the handler may push a return address on the interrupted stack, and so emulate a call.
;
;	regs->sp	the stack of the interrupted code
;	regs->sp - 8	int3_emulate_call() pushes here: in the gap, which are the CPU's
;			frame and the 0 behind it, 6 words that nobody needs any more
;	...		the copy of the 6 words: ss, rsp, rflags, cs, rip, 0. iretq loads
;			rsp from it: the pushed word is the top of the stack afterwards
;	...		the other registers (PUSH_REGS)
asm_exc_int3:
exception_3:
	CFI_TRAP 0
	push	0
	JUMP_IF_USER 8, .user
%rep 6
	push	qword [rsp + 5 * 8]
%endrep
	CFI_TRAP 8
	PUSH_REGS
	call	do_int3
exception_return:
	CFI_REGS
	cmp	dword [gs:nmi_running], 0
	jne	.return_into_nmi
	POP_REGS
	add	rsp, 8
	CFI_ADJUST -8
	iretq

.return_into_nmi:
	CFI_REGS
	RETURN_WITH_POPF

exception_3.user:
	CFI_TRAP 8
	swapgs
	PUSH_REGS
	mov	esi, 3
	xor	edx, edx
	call	[ring3_ops + RING3_EXCEPTION]	; may be traced, as nothing below do_int3 may
	jmp	return_from_interrupt

; Interrupts: do_interrupt(regs), with the vector in regs->orig_ax.
asm_common_interrupt:
	CFI_TRAP 8
	JUMP_IF_USER 8, .user
	PUSH_REGS
	call	do_interrupt
	jmp	return_to_kernel
.user:	CFI_TRAP 8
	swapgs
	PUSH_REGS
	call	do_interrupt
	jmp	return_from_interrupt
return_to_kernel:
	CFI_REGS
	POP_REGS
	add	rsp, 8
	CFI_ADJUST -8
	iretq

align 16
global interrupt_entries
interrupt_entries:
%assign vector 32
%rep 224
	CFI_TRAP 0
	push	vector
	jmp	near asm_common_interrupt
	align	16
%assign vector vector + 1
%endrep
	CFI_END

section .rodata progbits alloc noexec nowrite align=8
global exception_entries
exception_entries:
%assign vector 0
%rep 32
	dq	exception_ %+ vector
%assign vector vector + 1
%endrep
