/*
 * fmod_ret and error injection: a program may run instead of a function that error injection may
 * let fail, as in Linux.
 *
 * Only of a function that returns 0 or an errno: a trampoline makes an errno of what the program
 * returns. (Linux lets the program return any number, also as a pointer.)
 */
#include "kernel/error_injection.h"
#include "trace/bpf/helpers/helpers.h"
#include "trace/inject/inject.h"

static bool returns_errno(unsigned long function)
{
	struct error_injection_entry entry;

	return find_injectable(function, &entry) && entry.type == EI_ETYPE_ERRNO;
}

BPF_MODIFIABLE(injectable) = { .contains = returns_errno };
