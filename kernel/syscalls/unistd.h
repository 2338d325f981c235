/*
 * The numbers of the system calls: Linux's for x86_64. The name is that of the function without
 * sys_; the function of stat(2) is sys_newstat() in Linux.
 */
#pragma once

#define __NR_read              0
#define __NR_write             1
#define __NR_open              2
#define __NR_close             3
#define __NR_newstat           4
#define __NR_newfstat          5
#define __NR_newlstat          6
#define __NR_poll              7
#define __NR_lseek             8
#define __NR_mmap              9
#define __NR_mprotect          10
#define __NR_munmap            11
#define __NR_brk               12
#define __NR_rt_sigaction      13
#define __NR_rt_sigprocmask    14
#define __NR_rt_sigreturn      15
#define __NR_ioctl             16
#define __NR_pipe              22
#define __NR_mremap            25
#define __NR_msync             26
#define __NR_mincore           27
#define __NR_madvise           28
#define __NR_dup               32
#define __NR_dup2              33
#define __NR_pause             34
#define __NR_kill              62
#define __NR_truncate          76
#define __NR_ftruncate         77
#define __NR_getcwd            79
#define __NR_chdir             80
#define __NR_mkdir             83
#define __NR_rmdir             84
#define __NR_unlink            87
#define __NR_symlink           88
#define __NR_readlink          89
#define __NR_chmod             90
#define __NR_rt_sigpending     127
#define __NR_rt_sigtimedwait   128
#define __NR_rt_sigqueueinfo   129
#define __NR_rt_sigsuspend     130
#define __NR_sigaltstack       131
#define __NR_mlock             149
#define __NR_munlock           150
#define __NR_mlockall          151
#define __NR_munlockall        152
#define __NR_tkill             200
#define __NR_getdents64        217
#define __NR_restart_syscall   219
#define __NR_tgkill            234
#define __NR_pipe2             293
#define __NR_rt_tgsigqueueinfo 297
#define __NR_mlock2            325
#define __NR_close_range       436
