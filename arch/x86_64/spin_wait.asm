; The halt in the wait for a ticket lock.

SPIN_WAITER_HALTS equ 1			; kernel/locking/spinlock.h

section .text progbits alloc exec nowrite align=16
bits 64

; void spin_wait_halt(const u16 *owner, u16 ticket)
; An interrupt between here and spin_wait_halt_end returns to the first instruction, so none may
; change what those before need: rdi and rsi stay.
global spin_wait_halt, spin_wait_halt_end
spin_wait_halt:
	movzx	eax, word [rdi]
	xor	eax, esi
	and	eax, 0xffff & ~SPIN_WAITER_HALTS
	jz	spin_wait_halt_end
	hlt
spin_wait_halt_end:
	ret
