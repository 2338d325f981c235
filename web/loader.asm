; Starts the kernel of build/web/ without a boot loader. The BIOS calls this option ROM when its tables are ready. The
; kernel and its root file system are in memory by then: the emulator has put them there (web/worker.js).
;
; The ROM does what a PVH loader does (xen/include/public/arch-x86/hvm/start_info.h): it asks the BIOS for the memory map,
; finds the RSDP, and enters the kernel in protected mode with ebx = the start information.
;
; Assembled with -DENTRY=ADDRESS -DINITRD=ADDRESS -DINITRD_SIZE=BYTES. web/build adds the checksum.

%define START_INFO	0x7000	; free memory below 1 MB, which the kernel may reuse after it has read this
%define MODULE		0x7040
%define COMMAND_LINE	0x7060	; empty
%define GDT		0x7080
%define MAP		0x7100
%define MAP_ENTRY	24
%define PVH_MAGIC	0x336ec578
%define CMOS_BYTE	0x7f	; that nobody uses, and a reset keeps
%define STARTED		0x5a
%define SHUTDOWN_PORT	0x8900	; of Bochs: the text "Shutdown" ends it
%define CODE		8
%define DATA		16

bits 16
org 0

	db	0x55, 0xaa, SIZE / 512
entry:
	cli
	cld
	; After a reset the image in memory is not what it was. The page starts another machine when this one ends.
	mov	al, CMOS_BYTE
	out	0x70, al
	in	al, 0x71
	cmp	al, STARTED
	je	shut_down
	mov	al, STARTED
	out	0x71, al

	xor	eax, eax
	mov	ds, ax
	mov	es, ax
	mov	edi, START_INFO
	mov	ecx, (MAP - START_INFO) / 4
	rep	stosd

	xor	ebx, ebx
	xor	esi, esi		; the number of entries of the memory map
	mov	di, MAP
.next_range:
	mov	eax, 0xe820
	mov	edx, 'PAMS'
	mov	ecx, 20
	int	0x15
	jc	.map_is_complete
	mov	dword [di + 20], 0	; reserved
	add	di, MAP_ENTRY
	inc	si
	test	ebx, ebx
	jnz	.next_range
.map_is_complete:
	mov	dword [START_INFO], PVH_MAGIC
	mov	dword [START_INFO + 4], 1	; version
	mov	dword [START_INFO + 12], 1	; modules
	mov	dword [START_INFO + 16], MODULE
	mov	dword [START_INFO + 24], COMMAND_LINE
	mov	dword [START_INFO + 40], MAP
	mov	dword [START_INFO + 48], esi
	mov	dword [MODULE], INITRD
	mov	dword [MODULE + 8], INITRD_SIZE

	; Two flat segments. The far return goes to the linear address of protected_mode.
	mov	dword [GDT + CODE], 0x0000ffff
	mov	dword [GDT + CODE + 4], 0x00cf9b00
	mov	dword [GDT + DATA], 0x0000ffff
	mov	dword [GDT + DATA + 4], 0x00cf9300
	mov	word [GDT], 23		; the first descriptor is never used, so the register's operand fits there
	mov	dword [GDT + 2], GDT
	lgdt	[GDT]
	in	al, 0x92		; the BIOS has switched address line 20 off
	or	al, 2
	out	0x92, al
	xor	eax, eax
	mov	ax, cs
	shl	eax, 4
	add	eax, protected_mode
	push	dword CODE
	push	eax
	mov	eax, cr0
	or	al, 1
	mov	cr0, eax
	o32 retf

shut_down:
	mov	si, shutdown
	mov	dx, SHUTDOWN_PORT
.next:
	cs lodsb
	out	dx, al
	cmp	si, shutdown_end
	jb	.next
	hlt
shutdown:
	db	"Shutdown"
shutdown_end:

bits 32
protected_mode:
	mov	ax, DATA
	mov	ds, ax
	mov	es, ax
	mov	ss, ax
	mov	eax, 0xe0000		; the RSDP is on a 16-byte boundary of the BIOS (ACPI 6.4, section 5.2.5.1)
.find_rsdp:
	cmp	dword [eax], 'RSD '
	jne	.not_here
	cmp	dword [eax + 4], 'PTR '
	je	.found
.not_here:
	add	eax, 16
	cmp	eax, 0x100000
	jb	.find_rsdp
	xor	eax, eax
.found:
	mov	[START_INFO + 32], eax
	mov	ebx, START_INFO
	mov	eax, ENTRY
	jmp	eax

	times	SIZE - ($ - $$) db 0
