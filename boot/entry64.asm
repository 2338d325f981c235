; The first code in the higher half: removes the identity map and calls C. boot/entry.asm describes
; the state that C finds.

%include "arch/cpu/cfi.inc"
%include "boot/gdt.inc"

MSR_GS_BASE	equ 0xc0000101

extern x86_64_start_kernel, boot_pml4, boot_stack_top

section .init.text progbits alloc exec nowrite align=16
bits 64

; ebp = magic of the boot protocol, ebx = address of its information. Boot CPU, interrupts off.
global boot_entry_high
boot_entry_high:
	CFI_OUTERMOST
	lgdt	[rel boot_gdt_pointer64]
	mov	eax, BOOT_DS
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	xor	eax, eax
	mov	fs, eax
	mov	gs, eax
	mov	ecx, MSR_GS_BASE
	xor	edx, edx
	wrmsr
	lidt	[rel boot_empty_idt]

	mov	qword [rel boot_pml4], 0
	mov	rax, cr3
	mov	cr3, rax

	mov	rsp, boot_stack_top
	mov	edi, ebp			; magic
	mov	esi, ebx			; physical address of the information
	xor	ebp, ebp			; the outermost frame: backtraces end here
	push	rbp
	push	rbp
	call	x86_64_start_kernel
	ud2					; it does not return
	CFI_END

section .init.data progbits alloc noexec write align=8
boot_gdt:
	BOOT_GDT
boot_gdt_pointer64:
	dw BOOT_GDT_SIZE - 1
	dq boot_gdt
boot_empty_idt:
	dw 0
	dq 0
