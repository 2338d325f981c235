/* Types by bpf(2): what a load refuses, info, types of a map's key and value, and of a program. */
#include "bpf.h"

#include <sys/mount.h>

/* int; struct s { int a; int b; }; int f(void) */
static struct {
	struct btf_header header;
	struct btf_type integer;
	uint32_t encoding;
	struct btf_type structure;
	struct btf_member members[2];
	struct btf_type proto, func;
	char strings[16];
} blob;

static void fill(void)
{
	memset(&blob, 0, sizeof(blob));
	blob.header = (struct btf_header){ .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(blob.header), .type_len = offsetof(typeof(blob), strings) - sizeof(blob.header),
					   .str_off = offsetof(typeof(blob), strings) - sizeof(blob.header), .str_len = sizeof(blob.strings) };
	memcpy(blob.strings, "\0int\0s\0a\0b\0f\0\0\0", 16);
	blob.integer = (struct btf_type){ .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 };
	blob.encoding = BTF_INT_SIGNED << 24 | 32;
	blob.structure = (struct btf_type){ .name_off = 5, .info = BTF_KIND_STRUCT << 24 | 2, .size = 8 };
	blob.members[0] = (struct btf_member){ .name_off = 7, .type = 1 };
	blob.members[1] = (struct btf_member){ .name_off = 9, .type = 1, .offset = 32 };
	blob.proto = (struct btf_type){ .info = BTF_KIND_FUNC_PROTO << 24, .type = 1 };
	blob.func = (struct btf_type){ .name_off = 11, .info = BTF_KIND_FUNC << 24, .type = 3 };
}

#define BTF_LOAD_ARGS(...) BPF(BPF_BTF_LOAD, .btf = (uintptr_t)&blob, .btf_size = sizeof(blob), ##__VA_ARGS__)
#pragma GCC diagnostic ignored "-Woverride-init"

#define TRY_BLOB(change)                         \
	do {                                     \
		fill();                          \
		blob.change;                     \
		tried(#change, BTF_LOAD_ARGS()); \
	} while (0)

static void loads(void)
{
	char log[256];

	fill();
	tried("good", BTF_LOAD_ARGS());
	tried("0 bytes", BTF_LOAD_ARGS(.btf_size = 0));
	tried("the header alone", BTF_LOAD_ARGS(.btf_size = sizeof(blob.header)));
	tried("a byte less", BTF_LOAD_ARGS(.btf_size = sizeof(blob) - 1));
	tried("17 MB", BTF_LOAD_ARGS(.btf_size = 17 << 20));
	tried("a bad address", BTF_LOAD_ARGS(.btf = 8));
	tried("a level without a buffer", BTF_LOAD_ARGS(.btf_log_level = 1));
	tried("a small log", BTF_LOAD_ARGS(.btf_log_level = 1, .btf_log_buf = (uintptr_t)log, .btf_log_size = 64));
	TRY_BLOB(header.magic = 1);
	TRY_BLOB(header.version = 2);
	TRY_BLOB(header.flags = 1);
	TRY_BLOB(header.hdr_len = 20);
	TRY_BLOB(header.type_off = 4);
	TRY_BLOB(header.type_off = 2);
	TRY_BLOB(header.type_len = 0);
	TRY_BLOB(header.str_off -= 4);
	TRY_BLOB(header.str_len = 0);
	TRY_BLOB(strings[0] = 'a');
	TRY_BLOB(strings[15] = 'a');
	TRY_BLOB(integer.name_off = 99);
	TRY_BLOB(integer.info = 31U << 24);
	TRY_BLOB(members[0].type = 9);
	TRY_BLOB(members[1].name_off = 0x7fffffff);
	TRY_BLOB(func.type = 1);
	TRY_BLOB(func.type = 9);
	TRY_BLOB(proto.type = 9);
	TRY_BLOB(func.name_off = 0);
	TRY_BLOB(strings[11] = 0x20);
	TRY_BLOB(strings[5] = 0x39);
	TRY_BLOB(func.info = BTF_KIND_VAR << 24);
	TRY_BLOB(func.info = BTF_KIND_TYPEDEF << 24);
	fill();
}

static int info(int fd, void *to, unsigned size)
{
	return (int)BPF(BPF_OBJ_GET_INFO_BY_FD, .info = { .bpf_fd = (unsigned)fd, .info_len = size, .info = (uintptr_t)to });
}

static void kernel(void)
{
	union bpf_attr attr = { .start_id = 0 };
	struct bpf_btf_info btf = { 0 };
	char name[16] = "", *data = malloc(64 << 20);
	int fd;

	said("next id", bpf(BPF_BTF_GET_NEXT_ID, &attr, sizeof(attr)));
	show("id %u", attr.next_id);
	fd = (int)BPF(BPF_BTF_GET_FD_BY_ID, .btf_id = 1);
	said("info", info(fd, &btf, sizeof(btf)));
	show("id %u, kernel %u, name of %u bytes", btf.id, btf.kernel_btf, btf.name_len);
	TRUTH(btf.btf_size > 100000);
	btf = (struct bpf_btf_info){ .btf = (uintptr_t)data, .btf_size = 64 << 20, .name = (uintptr_t)name, .name_len = sizeof(name) };
	said("data", info(fd, &btf, sizeof(btf)));
	show("name %s, magic %x", name, *(uint16_t *)data);
	btf = (struct bpf_btf_info){ .name = (uintptr_t)name, .name_len = 4 };
	said("a short name", info(fd, &btf, sizeof(btf)));
	show("name %s", name);
	btf = (struct bpf_btf_info){ .name = (uintptr_t)name };
	said("a name of 0 bytes", info(fd, &btf, sizeof(btf)));
	tried("a map with the kernel's types", BPF(BPF_MAP_CREATE, .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 1, .btf_fd = fd, .btf_key_type_id = 1,
						   .btf_value_type_id = 1));
	said("fd of id 0", BPF(BPF_BTF_GET_FD_BY_ID, .btf_id = 0));
	show("access mode %d, close on exec %d", fcntl(fd, F_GETFL) & O_ACCMODE, fcntl(fd, F_GETFD));
}

#define TYPED(key, value, ...)                                                                                                                                                      \
	BPF(BPF_MAP_CREATE, .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 1, .btf_fd = btf, .btf_key_type_id = key, .btf_value_type_id = value, ##__VA_ARGS__)

static void maps(int btf)
{
	struct bpf_map_info map = { 0 };
	int fd = (int)TYPED(1, 2);

	said("types of a map", fd);
	info(fd, &map, sizeof(map));
	show("key %u, value %u, has types %d", map.btf_key_type_id, map.btf_value_type_id, map.btf_id > 0);
	close(fd);
	tried("a key of another size", TYPED(2, 2));
	tried("a value of another size", TYPED(1, 1));
	tried("no key", TYPED(0, 2));
	tried("no value", TYPED(1, 0));
	tried("a function as value", TYPED(1, 4));
	tried("a type that is not there", TYPED(1, 99));
	tried("another descriptor", TYPED(1, 2, .btf_fd = 1));
	tried("types of the kernel", TYPED(1, 2, .btf_vmlinux_value_type_id = 1));
}

/* A map of numbers, whose text is the same on all kernels: of structures, the format has changed. */
static void text(int btf)
{
	int map = (int)TYPED(1, 1, .value_size = 4, .max_entries = 3), untyped = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), key = 1, value = -7, file;
	char line[256] = "";

	mkdir("m", 0755);
	said("mount", mount("bpf", "m", "bpf", 0, NULL));
	said("pin", BPF(BPF_OBJ_PIN, .pathname = (uintptr_t) "m/map", .bpf_fd = (unsigned)map) + BPF(BPF_OBJ_PIN, .pathname = (uintptr_t) "m/untyped", .bpf_fd = (unsigned)untyped));
	tried("open a map without types", open("m/untyped", O_RDONLY));
	file = (int)said("open one with types", open("m/map", O_RDWR));
	said("write", write(file, "1", 1));
	update(map, &key, &value, 0);
	close(map);
	while (read(file, line, 200) > 0) {
		show("%s", line);
		memset(line, 0, sizeof(line));
	}
	close(file);
	said("umount", umount("m"));
	close(untyped);
}

static void programs(int btf)
{
	struct bpf_insn insns[] = { MOV64_IMM(0, 0), EXIT() };
	struct bpf_func_info functions[2] = { { 0, 4 }, { 1, 4 } }, got = { 0 };
	struct bpf_line_info lines[2] = { { 0, 1, 5, 1 << 10 }, { 1, 1, 5, 2 << 10 } }, got_lines[2];
	struct bpf_prog_info program = { .nr_func_info = 1, .func_info_rec_size = 8, .nr_line_info = 2, .line_info_rec_size = 16,
					 .nr_jited_line_info = 2, .jited_line_info_rec_size = 8, .nr_jited_ksyms = 1 };
	uint64_t code[2] = { 0 }, start = 0;
	int fd;
#define LOAD_TYPED(...)                                                                                                                                                                \
	BPF(BPF_PROG_LOAD, .prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (uintptr_t)insns, .insn_cnt = 2, .license = (uintptr_t)"GPL", .prog_btf_fd = btf,                       \
	    .func_info = (uintptr_t)functions, .func_info_cnt = 1, .func_info_rec_size = 8, .line_info = (uintptr_t)lines, .line_info_cnt = 2, .line_info_rec_size = 16, ##__VA_ARGS__)

	fd = (int)said("a program with types", LOAD_TYPED());
	program.func_info = (uintptr_t)&got;
	program.line_info = (uintptr_t)got_lines;
	program.jited_line_info = (uintptr_t)code;
	program.jited_ksyms = (uintptr_t)&start;
	said("info", info(fd, &program, sizeof(program)));
	show("%u functions, type %u, %u lines, column %u", program.nr_func_info, got.type_id, program.nr_line_info, got_lines[1].line_col >> 10);
	show("the code of %u lines, from the start %d, in order %d", program.nr_jited_line_info, start && code[0] == start, code[1] > code[0]);
	close(fd);
	tried("two functions", LOAD_TYPED(.func_info_cnt = 2));
	tried("small functions", LOAD_TYPED(.func_info_rec_size = 4));
	tried("large functions", LOAD_TYPED(.func_info_rec_size = 256));
	tried("functions with a rest", LOAD_TYPED(.func_info_rec_size = 12));
	functions[0].type_id = 1;
	tried("an int as function", LOAD_TYPED());
	functions[0] = (struct bpf_func_info){ 1, 4 };
	tried("a function at 1", LOAD_TYPED());
	functions[0].insn_off = 0;
	lines[1].insn_off = 0;
	tried("two lines at an instruction", LOAD_TYPED());
	lines[1].insn_off = 2;
	tried("a line beyond the end", LOAD_TYPED());
	lines[1].insn_off = 1;
	lines[1].line_off = 99;
	tried("a line without text", LOAD_TYPED());
	tried("small lines", LOAD_TYPED(.line_info_rec_size = 12));
	tried("another descriptor", LOAD_TYPED(.prog_btf_fd = 1));
}

int main(void)
{
	int btf;

	loads();
	kernel();
	btf = (int)BTF_LOAD_ARGS();
	maps(btf);
	text(btf);
	programs(btf);
	return 0;
}
