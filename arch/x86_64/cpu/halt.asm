; The halts of a CPU that waits for a ticket lock, and of an idle CPU.

%include "arch/cpu/cfi.inc"

SPIN_WAITER_HALTS equ 1			; kernel/locking/spinlock.h

section .kprobes.text progbits alloc exec nowrite align=16
bits 64

; void spin_wait_halt(const u16 *owner, u16 ticket)
;
; An interrupt before spin_wait_halt_end returns to the first instruction, so no instruction may
; change the inputs rdi and rsi.
global spin_wait_halt, spin_wait_halt_end
spin_wait_halt:
	CFI_FUNCTION
	movzx	eax, word [rdi]
	xor	eax, esi
	and	eax, 0xffff & ~SPIN_WAITER_HALTS
	jz	spin_wait_halt_end
	hlt
spin_wait_halt_end:
	ret
	CFI_END

; void native_safe_halt(void)
;
; An interrupt before the HLT returns behind it. halt.h counts on each instruction being one byte.
global native_safe_halt
native_safe_halt:
	CFI_FUNCTION
	sti
	hlt
	ret
	CFI_END
