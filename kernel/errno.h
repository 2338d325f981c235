/* Error numbers, as in Linux on x86 (errno(3)), and errors carried in pointers. */
#pragma once

#include "kernel/compiler.h"

#ifdef NOP5_HOST
#include <errno.h>
#else
#define EPERM           1
#define ENOENT          2
#define ESRCH           3
#define EINTR           4
#define EIO             5
#define ENXIO           6
#define E2BIG           7
#define ENOEXEC         8
#define EBADF           9
#define ECHILD          10
#define EAGAIN          11
#define ENOMEM          12
#define EACCES          13
#define EFAULT          14
#define EBUSY           16
#define EEXIST          17
#define EXDEV           18
#define ENODEV          19
#define ENOTDIR         20
#define EISDIR          21
#define EINVAL          22
#define ENFILE          23
#define EMFILE          24
#define ENOTTY          25
#define ETXTBSY         26
#define EFBIG           27
#define ENOSPC          28
#define ESPIPE          29
#define EROFS           30
#define EMLINK          31
#define EPIPE           32
#define EDOM            33
#define ERANGE          34
#define EDEADLK         35
#define ENAMETOOLONG    36
#define ENOLCK          37
#define ENOSYS          38
#define ENOTEMPTY       39
#define ELOOP           40
#define ENODATA         61
#define EPROTO          71
#define EBADMSG         74
#define EOVERFLOW       75
#define EBADFD          77
#define ELIBBAD         80
#define EILSEQ          84
#define EUSERS          87
#define ENOTSOCK        88
#define EDESTADDRREQ    89
#define EMSGSIZE        90
#define EPROTOTYPE      91
#define ENOPROTOOPT     92
#define EPROTONOSUPPORT 93
#define ESOCKTNOSUPPORT 94
#define EOPNOTSUPP      95
#define EAFNOSUPPORT    97
#define EADDRINUSE      98
#define EADDRNOTAVAIL   99
#define ENETDOWN        100
#define ENETUNREACH     101
#define ECONNABORTED    103
#define ECONNRESET      104
#define ENOBUFS         105
#define EISCONN         106
#define ENOTCONN        107
#define ETOOMANYREFS    109
#define ETIMEDOUT       110
#define ECONNREFUSED    111
#define EALREADY        114
#define EINPROGRESS     115
#define ECANCELED       125
#endif
#define ENOTSUPP 524 /* of uprobes; it reaches programs, as on Linux */

/* Results of a system call that a signal has interrupted; a program never sees them:
 * arch_do_signal(). */
#define ERESTARTSYS           512 /* begin again if the handler has SA_RESTART, or there is none */
#define ERESTARTNOINTR        513 /* begin again */
#define ERESTARTNOHAND        514 /* begin again if there is no handler */
#define ERESTART_RESTARTBLOCK 516 /* the same, by restart_syscall(2) */

#define MAX_ERRNO 4095

/* Whether a number, such as an address of mmap(2), stands for a negative errno. */
#define IS_ERR_VALUE(x) ((unsigned long)(x) >= (unsigned long)-MAX_ERRNO)

static inline bool IS_ERR(const void *ptr)
{
	return (uintptr_t)ptr >= (uintptr_t)-MAX_ERRNO;
}

static inline bool IS_ERR_OR_NULL(const void *ptr)
{
	return !ptr || IS_ERR(ptr);
}

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline void *ERR_CAST(const void *ptr)
{
	return (void *)ptr;
}

/* The text of a positive errno, as strerror(3) gives it ("Invalid argument"). In kernel/lib. */
const char *errno_text(int error);
