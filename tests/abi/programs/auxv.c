/* The auxiliary vector: which entries there are, and what they say. */
#include "abi.h"
#include <cpuid.h>
#include <elf.h>
#include <sys/auxv.h>

/* CPUID.7:EBX bit 0: the CPU has RDFSBASE and its kin. HWCAP2_FSGSBASE says that programs may use them. */
static int has_fsgsbase(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1);
}

int main(int argc, char **argv, char **envp)
{
	Elf64_auxv_t *aux;
	unsigned char *random = (unsigned char *)getauxval(AT_RANDOM), sum = 0;
	Elf64_Phdr *phdr = (Elf64_Phdr *)getauxval(AT_PHDR);
	char **end = envp;

	while (*end)
		end++;
	for (aux = (Elf64_auxv_t *)(end + 1); aux->a_type; aux++) {
		if (aux->a_type == AT_SYSINFO_EHDR)
			continue; /* depends on the machine */
		show("entry %lu", (unsigned long)aux->a_type);
	}
	CALL(getauxval(AT_PAGESZ));
	CALL(getauxval(AT_CLKTCK));
	CALL(getauxval(AT_PHENT));
	CALL(getauxval(AT_FLAGS));
	CALL(getauxval(AT_UID));
	CALL(getauxval(AT_EUID));
	CALL(getauxval(AT_GID));
	CALL(getauxval(AT_EGID));
	CALL(getauxval(AT_SECURE));
	TRUTH(getauxval(AT_HWCAP2) == (has_fsgsbase() ? 2UL : 0UL));
	show("platform %s", (char *)getauxval(AT_PLATFORM));
	TRUTH(!strcmp((char *)getauxval(AT_EXECFN), argv[0]));
	for (int i = 0; i < 16; i++)
		sum |= random[i];
	TRUTH(sum != 0);
	TRUTH(phdr->p_type == PT_PHDR || phdr->p_type == PT_LOAD);
	TRUTH(getauxval(AT_PHNUM) > 3);
	TRUTH(((unsigned long)&argv[-1] & 15) == 0);
	TRUTH((long)argv[-1] == argc);
	TRUTH((char *)getauxval(AT_EXECFN) + strlen(argv[0]) + 1 < (char *)0x7ffffffff000);
	TRUTH(argv[0] < envp[0]);
	return 0;
}
