/* What net/calls.c and net/msg_calls.c share. */
#pragma once

#include "fs/file/file.h"
#include "net/socket.h"

/* The socket of a descriptor; the caller calls fdput(*f). ERR_PTR: -EBADF, -ENOTSOCK. */
struct socket *sock_get(unsigned fd, struct fd *f);
/*
 * The value of the expression call, in which sock is the socket of descriptor fd and file its file;
 * or the error of sock_get().
 */
#define with_socket(fd, sock, file, call)                                                          \
	({                                                                                         \
		struct fd f_;                                                                      \
		struct socket *sock = sock_get((unsigned)(fd), &f_);                               \
		struct file *file __unused = f_.file;                                              \
		long result_;                                                                      \
                                                                                                   \
		if (IS_ERR(sock)) {                                                                \
			result_ = PTR_ERR(sock);                                                   \
		} else {                                                                           \
			result_ = (call);                                                          \
			fdput(f_);                                                                 \
		}                                                                                  \
		result_;                                                                           \
	})
/* A name from a program: 0, -EINVAL (its length is not possible), -EFAULT. */
int copy_name_from_user(union sockname *name, const void __user *from, int len);
/* A name to a program, as much as *ulen allows; *ulen becomes its length. 0, -EFAULT, -EINVAL. */
int copy_name_to_user(void __user *to, int __user *ulen, const union sockname *name,
		      unsigned namelen);
