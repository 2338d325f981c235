/* Names of error numbers, and the texts that strerror(3) gives for them. */
#include "kernel/lib/errname.h"

static const struct {
	const char *name, *text;
} errors[] = {
#define E(error, text) [error] = { #error, text }
	E(EPERM, "Operation not permitted"),
	E(ENOENT, "No such file or directory"),
	E(ESRCH, "No such process"),
	E(EINTR, "Interrupted system call"),
	E(EIO, "Input/output error"),
	E(ENXIO, "No such device or address"),
	E(E2BIG, "Argument list too long"),
	E(ENOEXEC, "Exec format error"),
	E(EBADF, "Bad file descriptor"),
	E(ECHILD, "No child processes"),
	E(EAGAIN, "Resource temporarily unavailable"),
	E(ENOMEM, "Cannot allocate memory"),
	E(EACCES, "Permission denied"),
	E(EFAULT, "Bad address"),
	E(EBUSY, "Device or resource busy"),
	E(EEXIST, "File exists"),
	E(EXDEV, "Invalid cross-device link"),
	E(ENODEV, "No such device"),
	E(ENOTDIR, "Not a directory"),
	E(EISDIR, "Is a directory"),
	E(EINVAL, "Invalid argument"),
	E(ENFILE, "Too many open files in system"),
	E(EMFILE, "Too many open files"),
	E(ENOTTY, "Inappropriate ioctl for device"),
	E(ETXTBSY, "Text file busy"),
	E(EFBIG, "File too large"),
	E(ENOSPC, "No space left on device"),
	E(ESPIPE, "Illegal seek"),
	E(EROFS, "Read-only file system"),
	E(EMLINK, "Too many links"),
	E(EPIPE, "Broken pipe"),
	E(EDOM, "Numerical argument out of domain"),
	E(ERANGE, "Numerical result out of range"),
	E(EDEADLK, "Resource deadlock avoided"),
	E(ENAMETOOLONG, "File name too long"),
	E(ENOLCK, "No locks available"),
	E(ENOSYS, "Function not implemented"),
	E(ENOTEMPTY, "Directory not empty"),
	E(ELOOP, "Too many levels of symbolic links"),
	E(ENODATA, "No data available"),
	E(EBADMSG, "Bad message"),
	E(EOVERFLOW, "Value too large for defined data type"),
	E(EBADFD, "File descriptor in bad state"),
	E(EILSEQ, "Invalid or incomplete multibyte or wide character"),
	E(ENOTSOCK, "Socket operation on non-socket"),
	E(EMSGSIZE, "Message too long"),
	E(EPROTOTYPE, "Protocol wrong type for socket"),
	E(ENOPROTOOPT, "Protocol not available"),
	E(EPROTONOSUPPORT, "Protocol not supported"),
	E(ESOCKTNOSUPPORT, "Socket type not supported"),
	E(EOPNOTSUPP, "Operation not supported"),
	E(EAFNOSUPPORT, "Address family not supported by protocol"),
	E(EADDRINUSE, "Address already in use"),
	E(EADDRNOTAVAIL, "Cannot assign requested address"),
	E(ECONNRESET, "Connection reset by peer"),
	E(ENOBUFS, "No buffer space available"),
	E(EISCONN, "Transport endpoint is already connected"),
	E(ENOTCONN, "Transport endpoint is not connected"),
	E(ETOOMANYREFS, "Too many references: cannot splice"),
	E(ETIMEDOUT, "Connection timed out"),
	E(ECONNREFUSED, "Connection refused"),
	E(ECANCELED, "Operation canceled"),
#undef E
};

const char *errname(int error)
{
	return error > 0 && error < (int)ARRAY_SIZE(errors) ? errors[error].name : NULL;
}

const char *errno_text(int error)
{
	if (error == 0)
		return "Success";
	return errname(error) ? errors[error].text : "Unknown error";
}
