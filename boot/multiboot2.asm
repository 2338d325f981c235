; The multiboot2 header (Multiboot2 specification 1.6, section 3.1) and the PVH note
; (xen/include/public/elfnote.h: XEN_ELFNOTE_PHYS32_ENTRY), by which boot loaders find the kernel's
; two entries.
;
; Both entries start in 32-bit protected mode with flat segments, paging and interrupts off:
;	multiboot2	eax = 0x36d76289, ebx = physical address of the information
;	PVH		ebx = physical address of struct hvm_start_info
; Both continue at boot_entry32 (boot/entry.asm) with eax = magic of the protocol and ebx unchanged.

MULTIBOOT2_HEADER_MAGIC	equ 0xe85250d6
MULTIBOOT2_ARCH_I386	equ 0		; 32-bit protected mode of i386
MULTIBOOT2_TAG_ALIGN	equ 6		; load modules at page boundaries
MULTIBOOT2_TAG_END	equ 0
MULTIBOOT2_TAG_FRAMEBUFFER equ 5
MULTIBOOT2_TAG_OPTIONAL	equ 1
XEN_ELFNOTE_PHYS32_ENTRY equ 18
PVH_START_MAGIC		equ 0x336ec578	; also the first word of struct hvm_start_info

; Makes the sum of the header's four words 0 in 32 bits.
%define MULTIBOOT2_CHECKSUM(size) \
	(-(MULTIBOOT2_HEADER_MAGIC + MULTIBOOT2_ARCH_I386 + (size)) & 0xffffffff)

extern boot_entry32

section .boot.header progbits alloc noexec nowrite align=8
multiboot2_header:
	dd MULTIBOOT2_HEADER_MAGIC
	dd MULTIBOOT2_ARCH_I386
	dd .end - multiboot2_header
	dd MULTIBOOT2_CHECKSUM(.end - multiboot2_header)

	align 8, db 0
	dw MULTIBOOT2_TAG_ALIGN
	dw 0
	dd 8

	; The kernel has no use for a framebuffer. Without this tag GRUB warns on UEFI that the
	; operating system has no console. grub.cfg keeps text mode.
	align 8, db 0
	dw MULTIBOOT2_TAG_FRAMEBUFFER
	dw MULTIBOOT2_TAG_OPTIONAL
	dd 20
	dd 0, 0, 0			; any width, height and depth

	align 8, db 0
	dw MULTIBOOT2_TAG_END
	dw 0
	dd 8
.end:

section .note.Xen progbits alloc noexec nowrite align=4
	dd 4				; size of the name
	dd 4				; size of the value
	dd XEN_ELFNOTE_PHYS32_ENTRY
	db "Xen", 0
	dd pvh_entry

section .boot.text progbits alloc exec nowrite align=16
bits 32

global multiboot2_entry
multiboot2_entry:
	jmp	boot_entry32

global pvh_entry
pvh_entry:
	mov	eax, PVH_START_MAGIC
	jmp	boot_entry32
