; Copies between kernel and user memory (uaccess.h), and reads that may fault
; (arch/unwind/maccess.h).
;
; Nothing here has a frame or a call site of ftrace: AC is set, and a tracer must not run then.
; An interrupt or a fault clears AC for its handler, and puts it back at its return.

%include "arch/cpu/cfi.inc"
%include "arch/mm/uaccess.inc"

EFAULT	equ 14

section .text progbits alloc exec nowrite align=16
bits 64

; unsigned long __copy_user(rdi dst, rsi src, rdx n): one of the two is user memory. Returns the
; number of bytes that were not copied.
global __copy_user
__copy_user:
	CFI_FUNCTION
	; LAB 12: An instruction that faults goes on where EXTABLE says.
	; Starts as: mov	rcx, rdx
	; STAC
	; .bytes: rep movsb
	; .done: CLAC
	; xor	eax, eax
	; ret
	; EXTABLE .bytes, .done
	mov	rcx, rdx
	shr	rcx, 3
	STAC
.quads:	rep movsq
	mov	ecx, edx
	and	ecx, 7
.bytes:	rep movsb
.done:	CLAC
	mov	rax, rcx
	ret
; A quad faulted. The bytes before the page's end are copied one by one.
.partial:
	and	edx, 7
	lea	rcx, [rdx + rcx * 8]
	jmp	.bytes
EXTABLE .quads, .partial
EXTABLE .bytes, .done
	; END LAB 12

; unsigned long __clear_user(rdi dst, rsi n): writes zeros. Returns the number of bytes that were
; not written.
global __clear_user
__clear_user:
	xor	eax, eax
	mov	rcx, rsi
	shr	rcx, 3
	STAC
.quads:	rep stosq
	mov	ecx, esi
	and	ecx, 7
.bytes:	rep stosb
.done:	CLAC
	mov	rax, rcx
	ret
.partial:
	and	esi, 7
	lea	rcx, [rsi + rcx * 8]
	jmp	.bytes
EXTABLE .quads, .partial
EXTABLE .bytes, .done

; long __strncpy_from_user(rdi dst, rsi src, rdx n): copies the string at src and its NUL, but at
; most n bytes. Returns the length without the NUL, n if there was no NUL in n bytes, or -EFAULT.
;
; Copies 8 bytes at a time as long as none of them is 0. (x - 0x01…01) & ~x & 0x80…80 is not 0 if
; and only if a byte of x is 0. A quad may reach into a page that is not there although the string
; ends before it. So a fault there is only the end of the fast part.
global __strncpy_from_user
__strncpy_from_user:
	xor	eax, eax
	mov	r8, 0x0101010101010101
	mov	r9, 0x8080808080808080
	sub	rdx, 8
	STAC
	jb	.tail
.quads:	mov	rcx, [rsi + rax]
	mov	r10, rcx
	mov	r11, rcx
	sub	r10, r8
	not	r11
	and	r10, r11
	test	r10, r9
	jnz	.tail
	mov	[rdi + rax], rcx
	add	rax, 8
	cmp	rax, rdx
	jbe	.quads
.tail:	add	rdx, 8
.bytes:	cmp	rax, rdx
	jae	.done
.byte:	mov	cl, [rsi + rax]
	mov	[rdi + rax], cl
	test	cl, cl
	jz	.done
	inc	rax
	jmp	.bytes
.fault:	mov	rax, -EFAULT
.done:	CLAC
	ret
EXTABLE .quads, .tail
EXTABLE .byte, .fault

; long __strnlen_user(rdi src, rsi n): the size of the string with its NUL, a number above n if the
; string is longer, or 0 after a fault.
global __strnlen_user
__strnlen_user:
	xor	eax, eax
	STAC
.loop:	inc	rax
	cmp	rax, rsi
	ja	.done
.byte:	cmp	byte [rdi + rax - 1], 0
	jne	.loop
.done:	CLAC
	ret
.fault:	xor	eax, eax
	jmp	.done
EXTABLE .byte, .fault

; long strncpy_nofault(rdi dst, rsi src, rdx size): the string with its NUL, at most size bytes, and
; then the last one becomes NUL. Returns the number of bytes written, or -EFAULT.
global strncpy_nofault
strncpy_nofault:
	xor	eax, eax
	STAC
.load:	mov	cl, [rsi + rax]
	mov	[rdi + rax], cl
	inc	rax
	test	cl, cl
	jz	.done
	cmp	rax, rdx
	jb	.load
	mov	byte [rdi + rax - 1], 0
.done:	CLAC
	ret
.fault:	mov	rax, -EFAULT
	jmp	.done
	CFI_END
EXTABLE .load, .fault
