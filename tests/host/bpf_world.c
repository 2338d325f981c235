/* The world of the verifier on the host: see bpf_world.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/bpf_world.h"
#include "tests/host/host_kmalloc.h"

#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"

const char world_rdonly_value[32] = WORLD_TEXT;
static long nr_map_references;

static int direct_value_addr(const struct bpf_map *map, u64 *address, u32 off)
{
	if (map->max_entries != 1)
		return -ENOTSUPP;
	if (off >= map->value_size)
		return -EINVAL;
	*address = (u64)world_rdonly_value + off;
	return 0;
}

static long for_each(struct bpf_map *map, const void *callback, void *ctx, u64 flags)
{
	(void)map, (void)callback, (void)ctx, (void)flags;
	return 0;
}

static void *lookup_percpu(struct bpf_map *map, const void *key, u32 cpu)
{
	(void)map, (void)key, (void)cpu;
	return NULL;
}

#define ARRAY_OPS .direct_value_addr = direct_value_addr, .for_each = for_each
static const struct bpf_map_ops ops[] = {
	[BPF_MAP_TYPE_ARRAY] = { ARRAY_OPS },
	[BPF_MAP_TYPE_HASH] = { .for_each = for_each },
	[BPF_MAP_TYPE_PERCPU_ARRAY] = { .for_each = for_each, .lookup_percpu = lookup_percpu },
	[BPF_MAP_TYPE_BLOOM_FILTER] = {},
};

#define MAP_AT(fd, type_, key, value, entries, flags)                                              \
	[fd] = { .ops = &ops[BPF_MAP_TYPE_##type_],                                                \
		 .map_type = BPF_MAP_TYPE_##type_,                                                 \
		 .key_size = key,                                                                  \
		 .value_size = value,                                                              \
		 .max_entries = entries,                                                           \
		 .map_flags = flags },
static struct bpf_map maps[] = { WORLD_MAPS(MAP_AT) };

struct bpf_map *world_map(int fd)
{
	maps[WORLD_ARRAY_OF_MAPS].inner_map_meta = &maps[WORLD_ARRAY];
	atomic_set(&maps[WORLD_RDONLY].writers, BPF_MAP_FROZEN);
	return fd >= WORLD_ARRAY && fd < WORLD_MAPS_END ? &maps[fd] : NULL;
}

/* ---- what the verifier asks the kernel ---- */

struct bpf_map *bpf_map_get_fd(int fd)
{
	struct bpf_map *map = world_map(fd);

	if (!map)
		return ERR_PTR(-EBADF);
	nr_map_references++;
	return map;
}
void bpf_map_get(struct bpf_map *map)
{
	(void)map;
	nr_map_references++;
}
void bpf_map_put(struct bpf_map *map)
{
	(void)map;
	nr_map_references--;
}
bool bpf_map_is_rdonly(const struct bpf_map *map)
{
	return (map->map_flags & BPF_F_RDONLY_PROG) && bpf_map_is_frozen(map);
}
bool bpf_prog_array_compatible(struct bpf_map *map, const struct bpf_prog *prog)
{
	(void)map, (void)prog;
	return true;
}

bool world_interrupted;
static struct task_struct task;
struct task_struct *current_task = &task;

void __cond_resched(void)
{
	task.user_work = world_interrupted ? USER_WORK_SIGPENDING : 0;
	task.pending.signal = world_interrupted ? SIG_BIT(SIGKILL) : 0;
}
int bpf_check_memory_begin(struct bpf_check_memory *memory, size_t size)
{
	memory->bytes = size;
	return 0;
}
void *bpf_check_memory_alloc(struct bpf_check_memory *memory, size_t size, int *error)
{
	void *object = kzalloc(size, GFP_KERNEL);

	*error = object ? 0 : -ENOMEM;
	memory->bytes += object ? ksize(object) : 0;
	return object;
}
void bpf_check_memory_free(struct bpf_check_memory *memory, void *object)
{
	memory->bytes -= object ? ksize(object) : 0;
	kfree(object);
}
void bpf_check_memory_end(struct bpf_check_memory *memory)
{
	(void)memory;
}
ktime_t ktime_get(void)
{
	return 0;
}
const struct btf *btf_vmlinux(void)
{
	return NULL;
}
unsigned long kallsyms_lookup_name(const char *name)
{
	(void)name;
	return 0;
}
void *kvzalloc(size_t size, gfp_t gfp)
{
	return __kmalloc(size, gfp | __GFP_ZERO);
}
void kvfree(const void *object)
{
	kfree(object);
}
int vscnprintf(char *text, size_t size, const char *fmt, va_list args)
{
	int len = vsnprintf(text, size, fmt, args);

	return len < (int)size ? len : (int)size - 1;
}
int scnprintf(char *text, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vscnprintf(text, size, fmt, args);
	va_end(args);
	return len;
}

/* The functions of the helpers: the tests never run a program in the kernel's way. */
#define HELPER(name)                                                                               \
	u64 name(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5)                                           \
	{                                                                                          \
		(void)r1, (void)r2, (void)r3, (void)r4, (void)r5;                                  \
		return 0;                                                                          \
	}
BPF_HELPER_FUNCTIONS(HELPER)
HELPER(__bpf_call_base)
void bpf_enable_trace_printk(void)
{
}
#define TEST_RUN(name)                                                                             \
	int name(struct bpf_prog *prog, const union bpf_attr *attr, union bpf_attr *uattr)         \
	{                                                                                          \
		(void)prog, (void)attr, (void)uattr;                                               \
		return -EOPNOTSUPP;                                                                \
	}
TEST_RUN(bpf_test_run_socket_filter)
TEST_RUN(bpf_test_run_raw_tracepoint)

/* ---- BTF of the program ---- */

static struct bpf_btf btf;

static void describe_functions(struct bpf_prog *prog, bool global)
{
	bool *starts = calloc(prog->len, 1);
	u32 i;

	if (!btf.btf.nr_types) {
		if (btf_parse(&btf.btf, &world_types, sizeof(world_types)))
			abort();
		host_objects = 0; /* it stays */
	}
	prog->btf = &btf;
	prog->func_info = calloc(prog->len, sizeof(*prog->func_info));
	world_find_functions(prog->insns, prog->len, starts);
	for (i = 0; i < prog->len; i++)
		if (starts[i])
			prog->func_info[prog->nr_func_info++] =
				(struct bpf_func_info){ i, i && global ? WORLD_GLOBAL_TYPE
								       : WORLD_FUNC_TYPE };
	free(starts);
}

/* ---- checks ---- */

static void write_log(struct bpf_verifier_log *log, const char *text, size_t len)
{
	struct world_check *check = log->data;

	if (log->pos + len >= sizeof(check->log)) {
		log->full = true;
		return;
	}
	memcpy(check->log + log->pos, text, len);
	check->log[log->pos + len] = '\0';
}

static const struct bpf_prog_type_ops *find_type(enum bpf_prog_type type)
{
	static const struct bpf_prog_type_ops *const types[] = {
		&bpf_kprobe_ops,     &bpf_socket_filter_ops,  &bpf_tracepoint_ops,
		&bpf_perf_event_ops, &bpf_raw_tracepoint_ops,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i]->type == type)
			return types[i];
	return types[0];
}

int world_check(struct world_check *check, const struct bpf_insn *insns, u32 len)
{
	struct bpf_verifier_log log = {
		.level = check->log_level,
		.write = write_log,
		.data = check,
		.watch = check->watch,
	};
	union bpf_attr attr = { .prog_flags = check->flags, .insn_cnt = len };
	struct bpf_prog *prog = &check->prog;
	int err;

	memset(prog, 0, sizeof(*prog));
	prog->ops = find_type(check->type);
	prog->type = prog->ops->type;
	attr.prog_type = prog->type;
	prog->len = len;
	prog->gpl_compatible = true;
	prog->insns =
		malloc(len * sizeof(*insns)); /* its exact size, so that ASan sees an overrun */
	memcpy(prog->insns, insns, len * sizeof(*insns));
	if (!check->no_btf)
		describe_functions(prog, check->global);
	check->log[0] = '\0';
	__cond_resched(); /* no signal of the last check */
	err = bpf_check(prog, &attr, &log);
	check->log_len = log.pos;
	if (log.pos < sizeof(check->log))
		check->log[log.pos] = '\0';
	return err;
}

void world_end(struct world_check *check)
{
	struct bpf_prog *prog = &check->prog;
	u32 i;

	for (i = 0; i < prog->nr_used_maps; i++)
		bpf_map_put(prog->used_maps[i]);
	kfree(prog->used_maps);
	kfree(prog->subprogs);
	free(prog->func_info);
	free(prog->insns);
	memset(prog, 0, sizeof(*prog));
}

long world_leaks(void)
{
	return host_objects + nr_map_references;
}
