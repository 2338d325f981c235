; The targets of the call at the start of every function: a return, or the way to a tracer.
;
; The call is the function's first instruction. So the top of the stack holds the address after the
; call site, and above it is the function's own return address; rbp is that of the caller. The C
; callback may change the caller-saved registers of the ABI. The function's arguments are in these
; registers, so they are saved. r10 and r11 have no meaning at a function's entry.
;
; Sites with several ops call ftrace_caller or ftrace_regs_caller. Both are also templates of the
; trampolines, one for each ops (ftrace_trampoline.c): in a trampoline the call goes to the callback
; of the ops. So between their first and last instruction only two instructions may depend on their
; own address: the load of the ops, and the call.
;
; Nothing here turns preemption off. A task may be preempted at any of these instructions.
; RCU-tasks keeps a trampoline until each task has left it (docs/rcu.md).

%include "arch/cpu/cfi.inc"
%include "arch/cpu/ptrace.inc"

extern ftrace_ops_list_func, ftrace_call_func

SITE_SIZE	equ 5			; call rel32
KERNEL_CS	equ 0x10
KERNEL_SS	equ 0x18

; The stack while the callback runs:
;
;	PARENT_RETURN	the function's return address	pushed by the call of the function
;	SITE_RETURN	the address behind the site	pushed by the call at the site
;	SITE_BP		rbp at the site			<- rbp
;	0		struct ftrace_regs (ftrace.h)	<- rsp
;
; The three words at the top are the frame of a site: two return addresses instead of one, because
; the traced function has not made its own frame yet. The unwinder (arch/unwind/unwind.c) sees that
; by its address: frames of functions are at multiples of 16, because the stack is aligned at each
; call, and this one is 8 off. In the word SITE_BP, which is a multiple of 8 or odd, bit 1 says that
; all registers are saved.
ALL_SAVED	equ 2
SITE_BP		equ PT_SIZE		; rbp at the call site
SITE_RETURN	equ PT_SIZE + 8		; the address after the site; the callback may change it
PARENT_RETURN	equ PT_SIZE + 2 * 8	; the function's own return address

section .entry.text progbits alloc exec nowrite align=16
bits 64

; The call of every function until boot makes a nop of it.
global __fentry__
__fentry__:
	CFI_FUNCTION
	ret

; The func of an ops that ftrace never calls.
global ftrace_stub
ftrace_stub:
	ret

; Makes the frame, and room for the registers. Keeps the flags, because ftrace_regs_caller saves
; them: so lea, not sub.
%macro MAKE_FRAME 0
	push	rbp
	mov	rbp, rsp
	CFI_BASE rbp
	lea	rsp, [rsp - PT_SIZE]
	CFI_ADJUST PT_SIZE
%endmacro

; Registers, each after its place: the arguments of a function, and the others that a callback may
; see, without bp, sp and ip, which are in the frames.
%define ARGUMENTS	CX, rcx, DX, rdx, SI, rsi, DI, rdi, R8, r8, R9, r9
%define THE_REST	R15, r15, R14, r14, R13, r13, R12, r12, BX, rbx, R11, r11, R10, r10, AX, rax

%macro SAVE 2-*
  %rep %0 / 2
	mov	[rsp + PT_%1], %2
	CFI_SAVED %2, PT_%1
	%rotate 2
  %endrep
%endmacro

%macro RESTORE 2-*
  %rep %0 / 2
	mov	%2, [rsp + PT_%1]
	CFI_RESTORED %2
	%rotate 2
  %endrep
%endmacro

; Calls func(ip, parent_ip, ops, fregs). ftrace_trampoline.c uses the two labels.
%macro CALL_CALLBACK 0
	mov	rcx, rsp
	mov	rdi, [rbp + 8]			; ip: the address of the site
	sub	rdi, SITE_SIZE
	mov	rsi, [rbp + 16]			; parent_ip
.load_ops:
	mov	rdx, [rel ftrace_no_ops]
.call:
	call	ftrace_ops_list_func
%endmacro

; Saves the arguments only. The last ret goes to the instruction behind the site.
global ftrace_caller
ftrace_caller:
	CFI_FUNCTION
; LAB 4: Make the frames, save, call, restore, and leave as if the site had been a nop.
; Starts as:
;	ret
;	CALL_CALLBACK
	MAKE_FRAME
	SAVE	ARGUMENTS
	CALL_CALLBACK
	RESTORE	ARGUMENTS
	leave
	ret
; END LAB 4
.end:

; The same with all registers. The callback may change them; execution continues at ip.
global ftrace_regs_caller
ftrace_regs_caller:
	CFI_FUNCTION
; LAB 4: All fields of struct pt_regs, as an exception would have saved them.
; Starts as:
;	ret
;	CALL_CALLBACK
	MAKE_FRAME
	pushfq
	pop	qword [rsp + PT_FLAGS]
	SAVE	ARGUMENTS
	SAVE	THE_REST
	mov	rax, [rsp + SITE_BP]
	mov	[rsp + PT_BP], rax
	CFI_SAVED rbp, PT_BP
	or	qword [rsp + SITE_BP], ALL_SAVED
	mov	qword [rsp + PT_ORIG_AX], 0
	mov	rax, [rsp + SITE_RETURN]
	mov	[rsp + PT_IP], rax
	mov	qword [rsp + PT_CS], KERNEL_CS
	lea	rax, [rsp + PARENT_RETURN]
	mov	[rsp + PT_SP], rax
	mov	qword [rsp + PT_SS], KERNEL_SS
	CALL_CALLBACK
	mov	rax, [rsp + PT_IP]
	mov	[rsp + SITE_RETURN], rax
	RESTORE	ARGUMENTS
	RESTORE	THE_REST
	mov	rbp, [rsp + PT_BP]
	CFI_RESTORED rbp
	CFI_DEPTH cfi_depth
	push	qword [rsp + PT_FLAGS]
	popfq
	lea	rsp, [rsp + SITE_RETURN]
	CFI_ADJUST -SITE_RETURN
	ret
; END LAB 4
.end:
	CFI_END

; Where a site with several ops continues, if one of them wants its code called: as if the site had
; called it. r10: the code; r11: where execution would have continued, which is behind the site if
; no other ops has changed that.
global ftrace_direct_caller
ftrace_direct_caller:
	CFI_FUNCTION
	push	r11
	jmp	r10
	CFI_END

section .rodata progbits alloc noexec nowrite align=8
ftrace_no_ops:	dq 0			; ftrace_ops_list_func() walks the list of ops

; struct trampoline_template (ftrace_trampoline.c)
global ftrace_templates
ftrace_templates:
	dq	ftrace_caller, ftrace_caller.load_ops, ftrace_caller.call, ftrace_caller.end
	dq	ftrace_regs_caller, ftrace_regs_caller.load_ops
	dq	ftrace_regs_caller.call, ftrace_regs_caller.end
