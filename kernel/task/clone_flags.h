/* Flags of clone(2): what a new task shares with its parent. */
#pragma once

#define CSIGNAL              0x000000ffUL /* the signal that tells the parent of its end */
#define CLONE_VM             0x00000100UL
#define CLONE_FS             0x00000200UL
#define CLONE_FILES          0x00000400UL
#define CLONE_SIGHAND        0x00000800UL
#define CLONE_PIDFD          0x00001000UL
#define CLONE_PTRACE         0x00002000UL
#define CLONE_VFORK          0x00004000UL
#define CLONE_PARENT         0x00008000UL
#define CLONE_THREAD         0x00010000UL
#define CLONE_NEWNS          0x00020000UL
#define CLONE_SYSVSEM        0x00040000UL
#define CLONE_SETTLS         0x00080000UL
#define CLONE_PARENT_SETTID  0x00100000UL
#define CLONE_CHILD_CLEARTID 0x00200000UL
#define CLONE_DETACHED       0x00400000UL
#define CLONE_UNTRACED       0x00800000UL
#define CLONE_CHILD_SETTID   0x01000000UL
#define CLONE_NEWCGROUP      0x02000000UL
#define CLONE_NEWUTS         0x04000000UL
#define CLONE_NEWIPC         0x08000000UL
#define CLONE_NEWUSER        0x10000000UL
#define CLONE_NEWPID         0x20000000UL
#define CLONE_NEWNET         0x40000000UL
#define CLONE_IO             0x80000000UL
#define CLONE_CLEAR_SIGHAND  0x100000000ULL /* clone3(2) */
#define CLONE_INTO_CGROUP    0x200000000ULL
