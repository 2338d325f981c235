; The vDSO as the Makefile has linked it, as data. vdso.c copies it into pages of programs.
section .rodata
global vdso_image, vdso_image_end
vdso_image:
	incbin "vdso.so"
vdso_image_end:
