; From the boot loader to the higher half: checks the CPU, builds the first page tables, enters long
; mode, and continues in boot/entry64.asm.
;
; The state at the call of x86_64_start_kernel(magic, info), once, on the boot CPU:
;  - the image at -2 GiB, 4 KiB pages: text RX, rodata R, data RW, init text RX, init data RW;
;  - the first 4 GiB of physical memory at 0xffff888000000000, 2 MiB pages, read-only and NX, to
;    read the data of the loader and the firmware; paging_init() builds the final direct map;
;  - nothing else: the identity map of .boot is removed, the lower half is empty;
;  - CR0.WP and EFER.NXE set, interrupts off, an empty IDT, GS base 0, rsp = boot_stack_top.
; From the moment that paging is on, nothing is writable and executable at once.

%include "boot/gdt.inc"

KERNEL_BASE	equ 0xffffffff80000000
PML4_DIRECT_MAP	equ 273			; index of 0xffff888000000000
PML4_KERNEL	equ 511			; index of 0xffffffff80000000
PDPT_KERNEL	equ 510

IMAGE_TABLES	equ 16			; 2 MiB each: the image ends below 32 MiB
DIRECT_TABLES	equ 4			; 1 GiB each

PTE_PRESENT	equ 1 << 0
PTE_WRITE	equ 1 << 1
PTE_LARGE	equ 1 << 7
PTE_NX_HIGH	equ 1 << 31		; bit 63, in the upper half of an entry

CR0_PE		equ 1 << 0
CR0_MP		equ 1 << 1
CR0_ET		equ 1 << 4
CR0_NE		equ 1 << 5
CR0_WP		equ 1 << 16
CR0_PG		equ 1 << 31
CR4_PAE		equ 1 << 5
MSR_EFER	equ 0xc0000080
EFER_LME	equ 1 << 8
EFER_NXE	equ 1 << 11

EFLAGS_ID	equ 1 << 21		; can be changed: the CPU has CPUID
CPUID_LEAF	equ 1			; edx
CPUID_TSC	equ 1 << 4
CPUID_MSR	equ 1 << 5
CPUID_PAE	equ 1 << 6
CPUID_CMOV	equ 1 << 15
CPUID_EXT_LEAF	equ 0x80000001		; edx
CPUID_EXT_NX	equ 1 << 20
CPUID_EXT_LM	equ 1 << 29
QEMU_EXIT	equ 0xf4		; isa-debug-exit: QEMU ends as after a panic
QEMU_EXIT_PANIC	equ 16
COM1		equ 0x3f8
COM1_DLL	equ COM1 + 0		; the divisor, with LCR_DLAB
COM1_DLM	equ COM1 + 1
COM1_LCR	equ COM1 + 3
COM1_LSR	equ COM1 + 5
LCR_WLEN8	equ 0x03
LCR_DLAB	equ 0x80
LSR_THRE	equ 1 << 5

; The entry that points to a table. It allows everything; the last level restricts access.
%define table(symbol) (phys(symbol) + (PTE_PRESENT | PTE_WRITE))
%define phys(symbol) ((symbol) - KERNEL_BASE)

extern boot_entry_high, boot_stage_tsc
extern __boot_begin, __boot_end
extern _stext, _etext, __start_rodata, __end_rodata, _sdata, _edata
extern __init_begin, __init_text_end, __init_end, __bss_start, _end

section .boot.text progbits alloc exec nowrite align=16
bits 32

; eax = magic of the boot protocol, ebx = address of its information. No stack is needed before
; paging is on.
global boot_entry32
boot_entry32:
	cli
	cld
	mov	esp, phys(boot_stack_top)
	mov	ebp, eax			; magic, kept until C is called
	call	check_cpu
	rdtsc					; the first stamp of kernel/boot/boot_time.h
	mov	[phys(boot_stage_tsc)], eax
	mov	[phys(boot_stage_tsc) + 4], edx

	call	build_page_tables

	mov	eax, CR4_PAE
	mov	cr4, eax
	mov	eax, phys(boot_pml4)
	mov	cr3, eax
	mov	ecx, MSR_EFER
	rdmsr
	or	eax, EFER_LME | EFER_NXE
	wrmsr
	mov	eax, CR0_PG | CR0_WP | CR0_NE | CR0_ET | CR0_MP | CR0_PE
	mov	cr0, eax
	lgdt	[boot_gdt_pointer32]
	jmp	BOOT_CS:boot_entry64

; Checks that the CPU can run as far as cpu_init(), which checks the rest. Preserves ebx and ebp.
check_cpu:
	mov	esi, message_no_cpuid
	pushfd
	pop	eax
	xor	eax, EFLAGS_ID
	mov	ecx, eax
	push	eax
	popfd
	pushfd
	pop	eax
	xor	eax, ecx
	test	eax, EFLAGS_ID
	jnz	boot_fail
	push	ebx
	mov	edi, needed_features
.feature:
	mov	eax, [edi]
	and	eax, 0x80000000			; which leaf is the highest of this kind?
	cpuid
	xor	edx, edx
	cmp	eax, [edi]
	jb	.missing
	mov	eax, [edi]
	cpuid
.missing:
	mov	esi, [edi + 8]
	test	edx, [edi + 4]
	jz	boot_fail
	add	edi, 12
	cmp	edi, needed_features_end
	jb	.feature
	pop	ebx
	ret

; Prints that the kernel needs a CPU with what esi names, on COM1, and stops.
boot_fail:
	call	boot_set_up_com1
	mov	edi, esi
	mov	esi, message_needs
	call	boot_print
	mov	esi, edi
	call	boot_print
	mov	esi, message_end
	call	boot_print
	mov	dx, QEMU_EXIT
	mov	al, QEMU_EXIT_PANIC
	out	dx, al
.halt:
	hlt
	jmp	.halt

; 115200 baud, 8 bits, no parity. The firmware may have left the UART as a reset leaves it: with 5
; bits in Bochs.
boot_set_up_com1:
	mov	dx, COM1_LCR
	mov	al, LCR_WLEN8 | LCR_DLAB
	out	dx, al
	mov	dx, COM1_DLL
	mov	al, 1
	out	dx, al
	mov	dx, COM1_DLM
	xor	al, al
	out	dx, al
	mov	dx, COM1_LCR
	mov	al, LCR_WLEN8
	out	dx, al
	ret

boot_print:
	lodsb
	test	al, al
	jz	.done
	mov	bl, al
	mov	dx, COM1_LSR
.wait:
	in	al, dx
	test	al, LSR_THRE
	jz	.wait
	mov	dx, COM1
	mov	al, bl
	out	dx, al
	jmp	boot_print
.done:
	ret

; Fills the tables. The loader has zeroed them with the rest of the bss. Preserves ebx and ebp.
build_page_tables:
	mov	dword [phys(boot_pml4) + PML4_KERNEL * 8], table(boot_pdpt_image)
	mov	dword [phys(boot_pml4) + PML4_DIRECT_MAP * 8], table(boot_pdpt_direct)
	mov	dword [phys(boot_pml4)], phys(boot_pdpt_identity) + PTE_PRESENT
	mov	dword [phys(boot_pdpt_image) + PDPT_KERNEL * 8], table(boot_pd_image)
	mov	dword [phys(boot_pdpt_identity)], phys(boot_pd_identity) + PTE_PRESENT
	mov	dword [phys(boot_pd_identity)], phys(boot_pt_identity) + PTE_PRESENT

	mov	eax, table(boot_pt_image)
	xor	ecx, ecx
.image_table:
	mov	[phys(boot_pd_image) + ecx * 8], eax
	add	eax, 4096
	inc	ecx
	cmp	ecx, IMAGE_TABLES
	jb	.image_table

	; The image: one range of equal rights after another.
	mov	esi, image_ranges
.range:
	mov	eax, [esi]			; first page and the low flags
	mov	ecx, eax
	shr	ecx, 12				; index in the image's tables
	mov	edx, [esi + 8]			; the upper half: NX, or 0
	mov	edi, [esi + 4]
	shr	edi, 12				; index of the first page after the range
.page:
	cmp	ecx, edi
	jae	.range_done
	mov	[phys(boot_pt_image) + ecx * 8], eax
	mov	[phys(boot_pt_image) + ecx * 8 + 4], edx
	add	eax, 4096
	inc	ecx
	jmp	.page
.range_done:
	add	esi, 12
	cmp	esi, image_ranges_end
	jb	.range

	; The code of this section, at its physical address, executable.
	mov	eax, __boot_begin
	mov	ecx, eax
	shr	ecx, 12
	or	eax, PTE_PRESENT
.identity_page:
	mov	[phys(boot_pt_identity) + ecx * 8], eax
	add	eax, 4096
	inc	ecx
	cmp	eax, __boot_end
	jb	.identity_page

	; The direct map of the first 4 GiB.
	mov	eax, table(boot_pd_direct)
	xor	ecx, ecx
.direct_table:
	mov	[phys(boot_pdpt_direct) + ecx * 8], eax
	add	eax, 4096
	inc	ecx
	cmp	ecx, DIRECT_TABLES
	jb	.direct_table
	mov	eax, PTE_LARGE | PTE_PRESENT
	xor	ecx, ecx
.direct_page:
	mov	[phys(boot_pd_direct) + ecx * 8], eax
	mov	dword [phys(boot_pd_direct) + ecx * 8 + 4], PTE_NX_HIGH
	add	eax, 1 << 21
	inc	ecx
	cmp	ecx, DIRECT_TABLES * 512
	jb	.direct_page
	ret

bits 64
boot_entry64:
	mov	rax, boot_entry_high
	jmp	rax

section .boot.data progbits alloc noexec nowrite align=8
; start and low flags; end; upper half of the entries
image_ranges:
	dd phys(_stext) + PTE_PRESENT, phys(_etext), 0
	dd phys(__start_rodata) + PTE_PRESENT, phys(__end_rodata), PTE_NX_HIGH
	dd phys(_sdata) + (PTE_PRESENT | PTE_WRITE), phys(_edata), PTE_NX_HIGH
	dd phys(__init_begin) + PTE_PRESENT, phys(__init_text_end), 0
	dd phys(__init_text_end) + (PTE_PRESENT | PTE_WRITE), phys(__init_end), PTE_NX_HIGH
	dd phys(__bss_start) + (PTE_PRESENT | PTE_WRITE), phys(_end), PTE_NX_HIGH
image_ranges_end:

transition_gdt:
	BOOT_GDT
boot_gdt_pointer32:
	dw BOOT_GDT_SIZE - 1
	dd transition_gdt

; leaf of CPUID, bit of edx, name. What needs a feature before cpu_init(): this file, or compiled C.
needed_features:
	dd CPUID_EXT_LEAF, CPUID_EXT_LM, name_lm
	dd CPUID_EXT_LEAF, CPUID_EXT_NX, name_nx
	dd CPUID_LEAF, CPUID_MSR, name_msr
	dd CPUID_LEAF, CPUID_PAE, name_pae
	dd CPUID_LEAF, CPUID_TSC, name_tsc
	dd CPUID_LEAF, CPUID_CMOV, name_cmov
needed_features_end:

message_needs:		db 13, 10, "nop5 needs a CPU with ", 0
message_end:		db 13, 10, 0
message_no_cpuid:	db "64-bit mode (LM); this one has no CPUID", 0
name_msr:		db "rdmsr and wrmsr (MSR)", 0
name_pae:		db "3-level page tables (PAE)", 0
name_lm:		db "64-bit mode (LM)", 0
name_nx:		db "pages without execution (NX)", 0
name_tsc:		db "rdtsc (TSC)", 0
name_cmov:		db "cmov (CMOV)", 0

section .init.bss nobits alloc noexec write align=4096
global boot_pml4
boot_pml4:		resb 4096
boot_pdpt_image:	resb 4096
boot_pd_image:		resb 4096
boot_pt_image:		resb 4096 * IMAGE_TABLES
boot_pdpt_direct:	resb 4096
boot_pd_direct:		resb 4096 * DIRECT_TABLES
boot_pdpt_identity:	resb 4096
boot_pd_identity:	resb 4096
boot_pt_identity:	resb 4096

section .bss nobits alloc noexec write align=4096
global boot_stack_guard, boot_stack, boot_stack_top
boot_stack_guard:	resb 4096		; paging_init() unmaps it
boot_stack:		resb 16384
boot_stack_top:
