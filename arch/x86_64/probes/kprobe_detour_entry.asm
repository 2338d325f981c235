; kprobe_detour_entry: the way from the jump of a probe to its handlers (kprobe_detour.h).
;
; A detour calls it. So the top of the stack holds the address of the copies of the instructions,
; and above it is the interrupted stack. All registers and flags belong to the interrupted code.
; What follows looks as the entry of an exception does: struct pt_regs, and an odd frame pointer for
; the unwinder. But nothing is switched off: a task may be preempted at any instruction.

%include "arch/irq/entry.inc"

extern kprobe_detour_handler

KERNEL_CS	equ 0x10
KERNEL_SS	equ 0x18
DATA		equ -13			; from the copies to the data of the detour

; Below the address of the copies. The handler may lower regs->sp by as much, as that of #BP may.
GAP		equ 5 * 8

section .entry.text progbits alloc exec nowrite align=16
bits 64

global kprobe_detour_entry
kprobe_detour_entry:
	CFI_FUNCTION
	lea	rsp, [rsp - GAP]
	CFI_ADJUST GAP
	push	KERNEL_SS
	push	rsp
	pushfq
	add	qword [rsp + 8], 8 + GAP + 8
	push	KERNEL_CS
	push	qword [rsp + 4 * 8 + GAP]
	push	0
	CFI_TRAP 8
	PUSH_REGS
	mov	rsi, rdi
	mov	rdi, [rdi + PT_IP]
	mov	rdi, [rdi + DATA]
	mov	rbx, rsp			; C preserves it
	CFI_BASE rbx
	and	rsp, -16
	call	[rel kprobe_detour_handler]
	mov	rsp, rbx
	CFI_DEPTH cfi_depth
	RETURN_WITH_POPF
	CFI_END
