/* Sizes of bpf_attr: missing bytes are 0, and bytes that the kernel does not know must be 0. Which rights each command of bpf(2) needs. */
#include "bpf.h"

#include <linux/capability.h>

static char big[8192] __attribute__((aligned(8)));

static void array(unsigned size)
{
	union bpf_attr *attr = (union bpf_attr *)big;
	char what[64];

	attr->map_type = BPF_MAP_TYPE_ARRAY;
	attr->key_size = 4;
	attr->value_size = 8;
	attr->max_entries = 3;
	snprintf(what, sizeof(what), "MAP_CREATE of %u bytes", size);
	tried(what, bpf(BPF_MAP_CREATE, attr, size));
}

static void sizes(void)
{
	static const unsigned all[] = { 0, 4, 12, 15, 16, 20, 28, 44, 48, 64, 72, 116, 128, 144, 200, 4096, 4097, 8192 };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		array(all[i]);
	big[200] = 1;
	array(200);
	array(201);
	array(4096);
	array(4097);
	big[200] = 0;
	big[sizeof(union bpf_attr) - 8] = 1; /* a member of another command */
	array(72);
	array(sizeof(union bpf_attr));
	big[sizeof(union bpf_attr) - 8] = 0;
	said("MAP_CREATE of no memory", bpf(BPF_MAP_CREATE, (void *)8, 72));
	said("MAP_CREATE of the kernel's memory", bpf(BPF_MAP_CREATE, (void *)-4096, 72));
}

static void commands(void)
{
	static const int unknown[] = { -1, 36, 37, 100, 0x7fffffff };
	int fd = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), file = open("/dev/null", O_RDWR);
	char what[64];

	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
		snprintf(what, sizeof(what), "command %d", unknown[i]);
		said(what, BPF(unknown[i]));
	}
	said("LOOKUP of no descriptor", BPF(BPF_MAP_LOOKUP_ELEM, .map_fd = 99));
	said("LOOKUP of another file", BPF(BPF_MAP_LOOKUP_ELEM, .map_fd = file));
	said("FREEZE of no descriptor", BPF(BPF_MAP_FREEZE, .map_fd = 99));
	said("FREEZE of another file", BPF(BPF_MAP_FREEZE, .map_fd = file));
	said("FREEZE with flags", BPF(BPF_MAP_FREEZE, .map_fd = fd, .flags = 1));
	said("DELETE with a value", BPF(BPF_MAP_DELETE_ELEM, .map_fd = fd, .value = 1));
	said("INFO of no descriptor", BPF(BPF_OBJ_GET_INFO_BY_FD, .info.bpf_fd = 99));
	said("INFO of another file", BPF(BPF_OBJ_GET_INFO_BY_FD, .info.bpf_fd = file));
	said("INFO of a large size", BPF(BPF_OBJ_GET_INFO_BY_FD, .info.bpf_fd = fd, .info.info_len = 4097, .info.info = (uintptr_t)big));
	said("TEST_RUN of a map", BPF(BPF_PROG_TEST_RUN, .test.prog_fd = fd));
	said("TEST_RUN of a size without a context", BPF(BPF_PROG_TEST_RUN, .test.prog_fd = fd, .test.ctx_size_in = 4));
	said("NEXT_ID of the largest", BPF(BPF_MAP_GET_NEXT_ID, .start_id = 0x7fffffff));
	said("NEXT_ID beyond the last", BPF(BPF_MAP_GET_NEXT_ID, .start_id = 0x7ffffffe));
	said("NEXT_ID with flags", BPF(BPF_MAP_GET_NEXT_ID, .open_flags = 1));
	said("FD_BY_ID of no map", BPF(BPF_MAP_GET_FD_BY_ID, .map_id = 0x7ffffff0));
	said("FD_BY_ID of no program", BPF(BPF_PROG_GET_FD_BY_ID, .prog_id = 0));
	said("FD_BY_ID with both flags", BPF(BPF_MAP_GET_FD_BY_ID, .map_id = 1, .open_flags = BPF_F_RDONLY | BPF_F_WRONLY));
	said("FD_BY_ID with another flag", BPF(BPF_MAP_GET_FD_BY_ID, .map_id = 1, .open_flags = 1));
	said("BIND_MAP of no program", BPF(BPF_PROG_BIND_MAP, .prog_bind_map = { .prog_fd = 99, .map_fd = (unsigned)fd }));
	said("BIND_MAP with flags", BPF(BPF_PROG_BIND_MAP, .prog_bind_map = { .prog_fd = 99, .flags = 1 }));
	said("ENABLE_STATS of another kind", BPF(BPF_ENABLE_STATS, .enable_stats.type = 1));
	tried("ENABLE_STATS", BPF(BPF_ENABLE_STATS, .enable_stats.type = 0));
}

/* As a user: no object can be made; one that is there can be used. */
static void as_user(void)
{
	int fd = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), zero = 0;
	uint64_t value = 7;

	setuid(65534);
	tried("a user's MAP_CREATE", make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0));
	said("a user's MAP_CREATE of a large size", bpf(BPF_MAP_CREATE, (union bpf_attr *)big, 8192));
	tried("a user's PROG_LOAD", LOAD(BPF_PROG_TYPE_SOCKET_FILTER, MOV64_IMM(0, 0), EXIT()));
	said("a user's BTF_LOAD", BPF(BPF_BTF_LOAD, .btf = (uintptr_t)big, .btf_size = 24));
	said("a user's LOOKUP", lookup(fd, &zero, &value));
	said("a user's UPDATE", update(fd, &zero, &value, 0));
	said("a user's FREEZE", BPF(BPF_MAP_FREEZE, .map_fd = fd));
	said("a user's NEXT_ID", BPF(BPF_MAP_GET_NEXT_ID));
	said("a user's FD_BY_ID", BPF(BPF_MAP_GET_FD_BY_ID, .map_id = 1));
	said("a user's ENABLE_STATS", BPF(BPF_ENABLE_STATS));
	said("a user's unknown command", BPF(100));
}

/* With a capability alone. */
static void with_capability(const char *name, int capability, int type)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	char what[64];

	data[capability / 32].effective = data[capability / 32].permitted = 1U << capability % 32;
	syscall(SYS_capset, &header, data);
	snprintf(what, sizeof(what), "MAP_CREATE with %s", name);
	tried(what, make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0));
	snprintf(what, sizeof(what), "PROG_LOAD of type %d with %s", type, name);
	tried(what, LOAD(type, MOV64_IMM(0, 0), EXIT()));
	snprintf(what, sizeof(what), "NEXT_ID with %s", name);
	said(what, BPF(BPF_MAP_GET_NEXT_ID));
}
static void with_bpf(void)
{
	with_capability("CAP_BPF", 39, BPF_PROG_TYPE_KPROBE);
}
static void with_perfmon(void)
{
	with_capability("CAP_PERFMON", 38, BPF_PROG_TYPE_KPROBE);
}
static void with_admin(void)
{
	with_capability("CAP_SYS_ADMIN", 21, BPF_PROG_TYPE_KPROBE);
}

int main(void)
{
	sizes();
	commands();
	CHILD(as_user);
	CHILD(with_bpf);
	CHILD(with_perfmon);
	CHILD(with_admin);
	return 0;
}
