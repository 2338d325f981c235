; From real mode to C, for every CPU but the first.
;
; arch/boot/smpboot.c copies trampoline_begin..trampoline_end to a page below 1 MiB and puts struct
; trampoline_data into the next page. A STARTUP interrupt makes a CPU begin at cs:0 of the copy, in
; real mode. All CPUs run this code at the same time, so it uses no stack and writes no memory. Its
; page tables map the kernel, and the code page (read, execute) and the data page (read, write) at
; their physical addresses. ap_entry64, in the kernel, loads the kernel's own page tables.

%include "arch/cpu/cfi.inc"

CR0_PE		equ 1 << 0
; PE MP ET NE WP PG
CR0_AP		equ (1 << 0) | (1 << 1) | (1 << 4) | (1 << 5) | (1 << 16) | (1 << 31)
CR4_PAE		equ 1 << 5
MSR_EFER	equ 0xc0000080
EFER_LME	equ 1 << 8
EFER_NXE	equ 1 << 11
MSR_GS_BASE	equ 0xc0000101
KERNEL_BASE	equ 0xffffffff80000000

; struct trampoline_data, in the page after the code
DATA		equ 0x1000
DATA_GDTR	equ 0
DATA_PROTECTED	equ 8			; far pointers: offset and selector
DATA_LONG	equ 16
DATA_CR3	equ 24
DATA_SELECTOR	equ 16			; in the GDT of trampoline_data

extern swapper_pg_dir, cpu_apic_ids, nr_cpu_ids, x2apic_mode, __per_cpu_offset
extern secondary_stacks, start_secondary

section .rodata progbits alloc noexec nowrite align=16
bits 16
global trampoline_begin, trampoline_protected, trampoline_long, trampoline_end
trampoline_begin:
	cli
	cld
	mov	ax, cs
	xor	ebx, ebx
	mov	bx, ax
	shl	ebx, 4				; ebx = physical address of this page
	add	ax, DATA >> 4
	mov	ds, ax
	o32 lgdt [DATA_GDTR]
	mov	eax, CR0_PE
	mov	cr0, eax
	jmp	far dword [DATA_PROTECTED]

bits 32
trampoline_protected:
	mov	ax, DATA_SELECTOR
	mov	ds, ax
	mov	es, ax
	mov	ss, ax
	mov	eax, CR4_PAE
	mov	cr4, eax
	mov	eax, [ebx + DATA + DATA_CR3]
	mov	cr3, eax
	mov	ecx, MSR_EFER
	rdmsr
	or	eax, EFER_LME | EFER_NXE
	wrmsr
	mov	eax, CR0_AP
	mov	cr0, eax
	jmp	far dword [ebx + DATA + DATA_LONG]

bits 64
trampoline_long:
	mov	rax, ap_entry64
	jmp	rax
trampoline_end:

; Not in init text: a CPU that is left out may halt here for ever.
section .kprobes.text progbits alloc exec nowrite align=16
bits 64
; Finds this CPU's number by its APIC ID. Loads the base of its per-CPU area and its idle task's
; stack.
ap_entry64:
	CFI_OUTERMOST
	mov	rax, swapper_pg_dir
	mov	rcx, KERNEL_BASE
	sub	rax, rcx
	mov	cr3, rax
	cmp	byte [rel x2apic_mode], 0
	jne	.x2apic
	mov	eax, 1
	cpuid
	shr	ebx, 24
	mov	edx, ebx
	jmp	.look_up
.x2apic:
	mov	eax, 0xb
	xor	ecx, ecx
	cpuid
.look_up:
	mov	edi, [rel nr_cpu_ids]
.next:
	dec	edi
	jz	.unknown			; 0 is the boot CPU
	cmp	edx, [cpu_apic_ids + rdi * 4]
	jne	.next

	mov	rax, [__per_cpu_offset + rdi * 8]
	mov	rdx, rax
	shr	rdx, 32
	mov	ecx, MSR_GS_BASE
	wrmsr
	mov	rsp, [secondary_stacks + rdi * 8]
	test	rsp, rsp
	jz	.unknown
	xor	ebp, ebp			; the outermost frame: backtraces end here
	push	rbp
	push	rbp
	call	start_secondary			; (cpu)
.unknown:
	cli
	hlt
	jmp	.unknown
	CFI_END
