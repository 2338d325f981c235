; Reading memory that may not be there (arch/maccess.h).

EFAULT equ 14

section .text progbits alloc exec nowrite align=16
bits 64

; long strncpy_nofault(rdi dst, rsi src, rdx size)
;
; Only the load at maccess_load may fault. maccess_fixup() then continues at maccess_fault.
global strncpy_nofault, maccess_load, maccess_fault
strncpy_nofault:
	xor	eax, eax
maccess_load:
	mov	cl, [rsi + rax]
	mov	[rdi + rax], cl
	inc	rax
	test	cl, cl
	jz	maccess_done
	cmp	rax, rdx
	jb	maccess_load
	mov	byte [rdi + rax - 1], 0
maccess_done:
	ret

maccess_fault:
	mov	rax, -EFAULT
	ret

; long copy_nofault(rdi dst, rsi src, rdx size): 0 or -EFAULT. size is not 0.
;
; Only the load at maccess_copy_load may fault.
global copy_nofault, maccess_copy_load
copy_nofault:
	xor	eax, eax
maccess_copy_load:
	mov	cl, [rsi + rax]
	mov	[rdi + rax], cl
	inc	rax
	cmp	rax, rdx
	jb	maccess_copy_load
	xor	eax, eax
	ret
