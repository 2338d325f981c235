/* What the programs about bpf(2) share: one line of output for each attempt, "case -> result". */
#pragma once
#include "abi.h"

#include <linux/bpf.h>
#include <linux/btf.h>

static inline long bpf(int cmd, union bpf_attr *attr, unsigned size)
{
	return syscall(SYS_bpf, cmd, attr, size);
}
#define BPF(cmd, ...) bpf(cmd, &(union bpf_attr){ __VA_ARGS__ }, sizeof(union bpf_attr))

/* The error, or errno 524, which has no name for programs. */
static inline const char *bpf_error(int error)
{
	return error == 524 ? "ENOTSUPP" : error_name(error);
}

/* Prints "what -> ok" or the name of the error. Returns the result. */
static inline long said(const char *what, long result)
{
	show("%s -> %s", what, result >= 0 ? "ok" : bpf_error(errno));
	return result;
}

/* The same for a descriptor, which it closes. */
static inline void tried(const char *what, long fd)
{
	said(what, fd);
	if (fd >= 0)
		close((int)fd);
}

static inline int make_map(int type, unsigned key_size, unsigned value_size, unsigned entries, unsigned flags)
{
	return (int)BPF(BPF_MAP_CREATE, .map_type = type, .key_size = key_size, .value_size = value_size, .max_entries = entries, .map_flags = flags);
}
static inline long update(int fd, const void *key, const void *value, uint64_t flags)
{
	return BPF(BPF_MAP_UPDATE_ELEM, .map_fd = fd, .key = (uintptr_t)key, .value = (uintptr_t)value, .flags = flags);
}
static inline long lookup(int fd, const void *key, void *value)
{
	return BPF(BPF_MAP_LOOKUP_ELEM, .map_fd = fd, .key = (uintptr_t)key, .value = (uintptr_t)value);
}
static inline long delete(int fd, const void *key)
{
	return BPF(BPF_MAP_DELETE_ELEM, .map_fd = fd, .key = (uintptr_t)key);
}
static inline long next_key(int fd, const void *key, void *next)
{
	return BPF(BPF_MAP_GET_NEXT_KEY, .map_fd = fd, .key = (uintptr_t)key, .next_key = (uintptr_t)next);
}

#define MOV64_IMM(dst, value) ((struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = dst, .imm = value })
#define EXIT()                ((struct bpf_insn){ .code = BPF_JMP | BPF_EXIT })
#define CALL_HELPER(helper)   ((struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = helper })
#define LD_MAP(dst, fd)       ((struct bpf_insn){ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = dst, .src_reg = BPF_PSEUDO_MAP_FD, .imm = fd }), ((struct bpf_insn){ 0 })

static inline int load(int type, const struct bpf_insn *insns, unsigned count)
{
	return (int)BPF(BPF_PROG_LOAD, .prog_type = type, .insns = (uintptr_t)insns, .insn_cnt = count, .license = (uintptr_t)"GPL");
}
#define LOAD(type, ...) load(type, (struct bpf_insn[]){ __VA_ARGS__ }, sizeof((struct bpf_insn[]){ __VA_ARGS__ }) / sizeof(struct bpf_insn))
