/*
 * `bpf_nest N` lets N programs print inside each other, and prints how often they ran. `bpf_nest types` pins a map whose value is
 * STRUCTS structures inside each other. `bpf_nest callback` loads a program with a callback. `bpf_nest tails N` lets a program
 * call itself by tail calls that leave the frames of 7 functions, and N programs that do the same print inside it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../abi/btf.h"
#include "bpf_attach.h"

/* A program that prints, and counts in the map. With off >= 0 only if the word at off of its context is `wanted`. */
static int load_printing(int map, int off, int wanted)
{
	struct bpf_insn insns[] = {
		INSN(BPF_LDX | BPF_DW | BPF_MEM, 2, 1, (short)off, 0),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 2, 0, 14, wanted), /* to the result */
		INSN(BPF_ST | BPF_W | BPF_MEM, 10, 0, -4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 7, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1),
		INSN(BPF_STX | BPF_DW | BPF_ATOMIC, 0, 1, 0, BPF_ADD),
		INSN(BPF_ST | BPF_DW | BPF_MEM, 10, 0, -8, 'n'),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 1, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, -8),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, 2),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_trace_printk),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	unsigned skip = off < 0 ? 2 : 0;
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
				.insns = (uintptr_t)(insns + skip),
				.insn_cnt = sizeof(insns) / sizeof(*insns) - skip,
				.license = (uintptr_t) "GPL" };

	return bpf(BPF_PROG_LOAD, &attr);
}

/* Each print calls all programs of the tracepoint, and each of them prints. */
static void nest(int programs)
{
	int map = new_map();

	for (int i = 0; i < programs; i++)
		if (open_raw("bpf_trace_printk", load_printing(map, -1, 0)) < 0)
			puts("a program is not attached");
	if (open_raw("sys_enter", load_printing(map, 8, SYS_getsid)) < 0)
		puts("the first program is not attached");
	syscall(SYS_getsid, 0);
	printf("%lu runs\n", count_of(map));
}

/* ---- types ---- */

#define STRUCTS 3000

struct types {
	struct btf_header header;
	struct btf_type integer;
	uint32_t encoding;
	struct {
		struct btf_type type;
		struct btf_member member;
	} structs[STRUCTS];
	char strings[8];
};

/* The first structure has a number, each other one the structure before it. */
static void pin_types(void)
{
	static struct types types = { .header = { .magic = BTF_MAGIC,
						  .version = 1,
						  .hdr_len = sizeof(types.header),
						  .type_len = offsetof(struct types, strings) - sizeof(types.header),
						  .str_off = offsetof(struct types, strings) - sizeof(types.header),
						  .str_len = sizeof(types.strings) },
				      .integer = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 },
				      .encoding = 32,
				      .strings = "\0int" };
	union bpf_attr attr = { .btf = (uintptr_t)&types, .btf_size = sizeof(types) };
	union bpf_attr map = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1, .btf_key_type_id = 1 };
	union bpf_attr pin = { .pathname = (uintptr_t) "/sys/fs/bpf/types" };

	for (unsigned i = 0; i < STRUCTS; i++) {
		types.structs[i].type = (struct btf_type){ .info = BTF_KIND_STRUCT << 24 | 1, .size = 4 };
		types.structs[i].member.type = i + 1;
	}
	map.btf_fd = (uint32_t)bpf(BPF_BTF_LOAD, &attr);
	map.btf_value_type_id = STRUCTS + 1;
	pin.bpf_fd = (uint32_t)bpf(BPF_MAP_CREATE, &map);
	printf("pinned: %d\n", bpf(BPF_OBJ_PIN, &pin));
}

/* ---- functions ---- */

#define FUNCTIONS 8

/* Loads a program with such starts of functions, which BTF says are `static int f(void)`. */
static int load_functions(const struct bpf_insn *insns, unsigned nr_insns, const unsigned *starts, unsigned nr)
{
	struct {
		struct btf_header header;
		struct btf_type integer;
		uint32_t encoding;
		struct btf_type proto, func;
		char strings[8];
	} types = { .header = { .magic = BTF_MAGIC,
				.version = 1,
				.hdr_len = sizeof(types.header),
				.type_len = offsetof(typeof(types), strings) - sizeof(types.header),
				.str_off = offsetof(typeof(types), strings) - sizeof(types.header),
				.str_len = sizeof(types.strings) },
		    .integer = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 },
		    .encoding = BTF_INT_SIGNED << 24 | 32,
		    .proto = { .info = BTF_KIND_FUNC_PROTO << 24, .type = 1 },
		    .func = { .name_off = 5, .info = BTF_KIND_FUNC << 24, .type = 2 },
		    .strings = "\0int\0f" };
	union bpf_attr btf = { .btf = (uintptr_t)&types, .btf_size = sizeof(types) };
	struct bpf_func_info infos[FUNCTIONS];
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
				.insns = (uintptr_t)insns,
				.insn_cnt = nr_insns,
				.license = (uintptr_t) "GPL",
				.func_info = (uintptr_t)infos,
				.func_info_cnt = nr,
				.func_info_rec_size = sizeof(*infos) };

	for (unsigned i = 0; i < nr; i++)
		infos[i] = (struct bpf_func_info){ .insn_off = starts[i], .type_id = 3 };
	attr.prog_btf_fd = (uint32_t)bpf(BPF_BTF_LOAD, &btf);
	return bpf(BPF_PROG_LOAD, &attr);
}

static void load_callback(void)
{
	struct bpf_insn insns[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_FUNC, 0, 6), /* the last but one */
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_loop),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	int program = load_functions(insns, sizeof(insns) / sizeof(*insns), (unsigned[]){ 0, 8 }, 2);

	printf("loaded: %d\n", program < 0 ? program : 0);
}

/* ---- tail calls ---- */

static struct bpf_insn insns[256];
static unsigned nr_insns;

#define ADD(...)       (insns[nr_insns++] = (struct bpf_insn)INSN(__VA_ARGS__))
#define ADD_MAP(r, fd) (ADD(BPF_LD | BPF_DW | BPF_IMM, r, BPF_PSEUDO_MAP_FD, 0, fd), ADD(0, 0, 0, 0, 0))

static void add_tail_call(int programs)
{
	ADD_MAP(2, programs);
	ADD(BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 0);
	ADD(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_tail_call);
}

static void add_exit(void)
{
	ADD(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0);
	ADD(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void add_count(int map)
{
	ADD(BPF_ST | BPF_W | BPF_MEM, 10, 0, -4, 0);
	ADD(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0);
	ADD(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4);
	ADD_MAP(1, map);
	ADD(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
	ADD(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2, 0);
	ADD(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1);
	ADD(BPF_STX | BPF_DW | BPF_ATOMIC, 0, 1, 0, BPF_ADD);
	ADD(BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0);
}

static void add_print(void)
{
	ADD(BPF_ST | BPF_DW | BPF_MEM, 10, 0, -8, 'n');
	ADD(BPF_ALU64 | BPF_MOV | BPF_X, 1, 10, 0, 0);
	ADD(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, -8);
	ADD(BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, 2);
	ADD(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_trace_printk);
}

/*
 * The program counts, and each of its functions calls the next one, in frames that are as large as they may be. The last one
 * calls the program again, by a tail call, and prints if it cannot.
 */
static int load_deep(int map, int programs)
{
	unsigned starts[FUNCTIONS], call = 0;

	nr_insns = 0;
	for (unsigned f = 0; f < FUNCTIONS; f++) {
		bool last = f == FUNCTIONS - 1;

		starts[f] = nr_insns;
		if (f)
			insns[call].imm = (int)(nr_insns - call - 1);
		ADD(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0);
		for (unsigned char r = 7; r <= 9; r++)
			ADD(BPF_ALU64 | BPF_MOV | BPF_K, r, 0, 0, 0);
		ADD(BPF_ST | BPF_DW | BPF_MEM, 10, 0, last ? -288 : -32, 0);
		if (!f)
			add_count(map);
		call = nr_insns;
		if (!last)
			ADD(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
		else
			add_tail_call(programs), add_print();
		add_exit();
	}
	return load_functions(insns, nr_insns, starts, FUNCTIONS);
}

/* A program that begins the first one of the array. With off >= 0 only if the word at off of its context is `wanted`. */
static int load_start(int programs, int off, int wanted)
{
	nr_insns = 0;
	if (off >= 0) {
		ADD(BPF_LDX | BPF_DW | BPF_MEM, 2, 1, (short)off, 0);
		ADD(BPF_JMP | BPF_JNE | BPF_K, 2, 0, 4, wanted);
	}
	add_tail_call(programs);
	add_exit();
	return load_functions(insns, nr_insns, (unsigned[]){ 0 }, 1);
}

static void tails(int nr)
{
	union bpf_attr array = { .map_type = BPF_MAP_TYPE_PROG_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1 };
	int map = new_map(), programs = bpf(BPF_MAP_CREATE, &array), deep = load_deep(map, programs), key = 0;
	union bpf_attr update = { .map_fd = (uint32_t)programs, .key = (uintptr_t)&key, .value = (uintptr_t)&deep };

	if (bpf(BPF_MAP_UPDATE_ELEM, &update))
		puts("no program");
	for (int i = 0; i < nr; i++)
		if (open_raw("bpf_trace_printk", load_start(programs, -1, 0)) < 0)
			puts("a program is not attached");
	if (open_raw("sys_enter", load_start(programs, 8, SYS_getsid)) < 0)
		puts("the first program is not attached");
	syscall(SYS_getsid, 0);
	printf("%lu runs\n", count_of(map));
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "types"))
		pin_types();
	else if (argc > 1 && !strcmp(argv[1], "callback"))
		load_callback();
	else if (argc > 1 && !strcmp(argv[1], "tails"))
		tails(argc > 2 ? atoi(argv[2]) : 0);
	else
		nest(argc > 1 ? atoi(argv[1]) : 1);
	return 0;
}
