/*
 * The commands of bpf(2): a linker table, so that a command is in the file of its subject. syscall.c
 * copies attr, checks rights and that the bytes behind the command's last field are 0, and calls it.
 */
#pragma once

#include "kernel/linker_table.h"
#include "trace/bpf/core/abi.h"

struct bpf_command {
	u32 cmd;      /* enum bpf_cmd */
	u32 attr_end; /* bytes of attr that the command knows: all behind them must be 0: -EINVAL */
	/* attr is a copy, and filled with 0; uattr has size bytes. A result >= 0, or an errno. */
	long (*run)(const union bpf_attr *attr, union bpf_attr __user *uattr, u32 size);
	u64 unused;
};
/* BPF_COMMAND(link_create, BPF_LINK_CREATE, link_create.kprobe_multi.cookies) = …: the last field */
#define BPF_COMMAND(name) LINKER_TABLE_ENTRY(rodata, bpf_commands, #name)
/* The end of the last field of attr that a command knows. */
#define BPF_ATTR_END(field) offsetofend(union bpf_attr, field)
