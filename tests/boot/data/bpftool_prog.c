/*
 * Programs for test_bpftool.py, which translates them with clang -target bpf: a raw tracepoint, with
 * a function of its own and a map, and a socket filter, which only test runs run.
 */
typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name)          __attribute__((section(name), used))
#define __uint(name, val)  int(*name)[val]
#define __type(name, type) type *name

static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;

struct {
	__uint(type, 2); /* BPF_MAP_TYPE_ARRAY */
	__uint(max_entries, 4);
	__type(key, u32);
	__type(value, u64);
} counts SEC(".maps");

static __attribute__((noinline)) int add(u64 *value, int by)
{
	if (value)
		__sync_fetch_and_add(value, by);
	return by + 1;
}

SEC("raw_tp/sys_enter") int count(void *ctx)
{
	u32 key = 1;

	return add(bpf_map_lookup_elem(&counts, &key), 5);
}

SEC("socket") int filter(void *ctx)
{
	return 42;
}

char _license[] SEC("license") = "GPL";
