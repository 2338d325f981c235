/* Types of maps: which sizes and flags each takes, and what bpf(2) does with its elements. */
#include "bpf.h"

static void try_map(const char *name, int type, unsigned key, unsigned value, unsigned entries, unsigned flags)
{
	char what[128];

	snprintf(what, sizeof(what), "%s key %u value %u entries %u flags %#x", name, key, value, entries, flags);
	tried(what, make_map(type, key, value, entries, flags));
}

/* Each flag on its own, and bad sizes. */
static void creations(const char *name, int type, unsigned key, unsigned value)
{
	try_map(name, type, key, value, 4, 0);
	for (unsigned bit = 0; bit < 14; bit++)
		if (bit != 5) /* with build ids: a larger value */
			try_map(name, type, key, value, 4, 1U << bit);
	try_map(name, type, key, value, 4, BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG);
	try_map(name, type, key, value, 0, 0);
	try_map(name, type, key, 0, 4, 0);
	try_map(name, type, 0, value, 4, 0);
	try_map(name, type, key + 1, value, 4, 0);
	try_map(name, type, key, value + 1, 4, 0);
	try_map(name, type, 1000, value, 4, 0);
}

static void sizes(void)
{
	creations("hash", BPF_MAP_TYPE_HASH, 4, 8);
	creations("array", BPF_MAP_TYPE_ARRAY, 4, 8);
	creations("prog array", BPF_MAP_TYPE_PROG_ARRAY, 4, 4);
	creations("perf event array", BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4);
	creations("per-CPU hash", BPF_MAP_TYPE_PERCPU_HASH, 4, 8);
	creations("per-CPU array", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8);
	creations("stack trace", BPF_MAP_TYPE_STACK_TRACE, 4, 80);
	creations("LRU hash", BPF_MAP_TYPE_LRU_HASH, 4, 8);
	creations("LPM trie", BPF_MAP_TYPE_LPM_TRIE, 8, 8);
	creations("queue", BPF_MAP_TYPE_QUEUE, 0, 8);
	creations("stack", BPF_MAP_TYPE_STACK, 0, 8);
	creations("bloom filter", BPF_MAP_TYPE_BLOOM_FILTER, 0, 8);
	try_map("ring buffer", BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0);
	try_map("ring buffer", BPF_MAP_TYPE_RINGBUF, 0, 0, 4095, 0);
	try_map("ring buffer", BPF_MAP_TYPE_RINGBUF, 0, 0, 3 * 4096, 0);
	try_map("ring buffer", BPF_MAP_TYPE_RINGBUF, 4, 0, 4096, 0);
	try_map("LPM trie", BPF_MAP_TYPE_LPM_TRIE, 8, 8, 4, BPF_F_NO_PREALLOC);
	try_map("LPM trie", BPF_MAP_TYPE_LPM_TRIE, 4, 8, 4, BPF_F_NO_PREALLOC);
	try_map("stack trace", BPF_MAP_TYPE_STACK_TRACE, 4, 8 * 127, 4, 0);
	try_map("stack trace", BPF_MAP_TYPE_STACK_TRACE, 4, 8 * 128, 4, 0);
	try_map("array of maps", BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 4, 0);
	try_map("unknown", 1000, 4, 4, 4, 0);
	try_map("none", BPF_MAP_TYPE_UNSPEC, 4, 4, 4, 0);
}

static void arrays(void)
{
	int fd = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 3, 0), key = 3, next = 0;
	uint64_t value = 9;

	said("update beyond the end", update(fd, &key, &value, 0));
	said("lookup beyond the end", lookup(fd, &key, &value));
	said("next key of one beyond the end", next_key(fd, &key, &next));
	show("next %d", next);
	key = 2;
	said("update NOEXIST", update(fd, &key, &value, BPF_NOEXIST));
	said("update EXIST", update(fd, &key, &value, BPF_EXIST));
	said("delete", delete(fd, &key));
	said("next key of the last", next_key(fd, &key, &next));
	said("lookup and delete", BPF(BPF_MAP_LOOKUP_AND_DELETE_ELEM, .map_fd = fd, .key = (uintptr_t)&key, .value = (uintptr_t)&value));
	close(fd);
}

/* The program has room for the values of all possible CPUs: more than there are here. */
static void per_cpu(int type, const char *name)
{
	uint64_t values[1024] = { 0 };
	int fd = make_map(type, 4, 4, 2, 0), key = 1, cpus = 0;

	show("%s", name);
	for (int i = 0; i < 1024; i++)
		values[i] = (uint64_t)i + 1;
	said("update", update(fd, &key, values, 0));
	memset(values, 0, sizeof(values));
	said("lookup", lookup(fd, &key, values));
	while (values[cpus] == (uint64_t)cpus + 1)
		cpus++;
	TRUTH(cpus >= sysconf(_SC_NPROCESSORS_CONF));
	key = 7;
	said("lookup of another", lookup(fd, &key, values));
	close(fd);
}

static void queues(int type, const char *name)
{
	int fd = make_map(type, 0, 8, 2, 0), key;
	uint64_t value = 1;

	show("%s", name);
	said("peek in an empty one", lookup(fd, NULL, &value));
	said("push", update(fd, NULL, &value, 0));
	value = 2;
	said("push", update(fd, NULL, &value, BPF_NOEXIST));
	said("push", update(fd, NULL, &value, 0));
	value = 3;
	said("push into a full one", update(fd, NULL, &value, 0));
	said("push with EXIST", update(fd, NULL, &value, BPF_EXIST));
	said("push with a key", update(fd, &key, &value, 0));
	said("peek", lookup(fd, NULL, &value));
	show("value %d", (int)value);
	said("pop", BPF(BPF_MAP_LOOKUP_AND_DELETE_ELEM, .map_fd = fd, .value = (uintptr_t)&value));
	show("value %d", (int)value);
	said("delete", delete(fd, NULL));
	said("next key", next_key(fd, NULL, &key));
	said("pop with flags", BPF(BPF_MAP_LOOKUP_AND_DELETE_ELEM, .map_fd = fd, .value = (uintptr_t)&value, .flags = BPF_F_LOCK));
	close(fd);
}

static void bloom(void)
{
	int fd = make_map(BPF_MAP_TYPE_BLOOM_FILTER, 0, 4, 100, 0), value = 5;

	said("a value that is not in it", lookup(fd, NULL, &value));
	said("push", update(fd, NULL, &value, 0));
	said("a value that is in it", lookup(fd, NULL, &value));
	said("push with NOEXIST", update(fd, NULL, &value, BPF_NOEXIST));
	said("pop", BPF(BPF_MAP_LOOKUP_AND_DELETE_ELEM, .map_fd = fd, .value = (uintptr_t)&value));
	said("delete", delete(fd, NULL));
	close(fd);
	tried("map_extra of a filter", BPF(BPF_MAP_CREATE, .map_type = BPF_MAP_TYPE_BLOOM_FILTER, .value_size = 4, .max_entries = 9, .map_extra = 5));
	tried("too many hashes", BPF(BPF_MAP_CREATE, .map_type = BPF_MAP_TYPE_BLOOM_FILTER, .value_size = 4, .max_entries = 9, .map_extra = 16));
	tried("map_extra of an array", BPF(BPF_MAP_CREATE, .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 9, .map_extra = 1));
}

static void trie(void)
{
	struct {
		uint32_t bits;
		uint8_t data[4];
	} key = { 8, { 10, 0, 0, 0 } }, next;
	int fd = make_map(BPF_MAP_TYPE_LPM_TRIE, 8, 4, 8, BPF_F_NO_PREALLOC), value = 8;

	said("10/8", update(fd, &key, &value, 0));
	key.bits = value = 16;
	said("10.0/16", update(fd, &key, &value, 0));
	key.bits = 33;
	said("33 bits", update(fd, &key, &value, 0));
	key.bits = 32;
	key.data[3] = 1;
	said("10.0.0.1", lookup(fd, &key, &value));
	show("value %d", value);
	key.data[1] = 1;
	said("10.1.0.1", lookup(fd, &key, &value));
	show("value %d", value);
	key.data[0] = 11;
	said("11.1.0.1", lookup(fd, &key, &value));
	said("next key", next_key(fd, NULL, &next));
	show("next %u bits", next.bits);
	key.bits = 8;
	said("delete 11/8", delete(fd, &key));
	key.data[0] = 10;
	said("delete 10/8", delete(fd, &key));
	close(fd);
}

static void maps_in_maps(void)
{
	int inner = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 3, 0), other = make_map(BPF_MAP_TYPE_ARRAY, 4, 4, 3, 0), key = 1, id = 0, outer;
	int hash = (int)BPF(BPF_MAP_CREATE, .map_type = BPF_MAP_TYPE_HASH_OF_MAPS, .key_size = 4, .value_size = 4, .max_entries = 2, .inner_map_fd = inner);

	outer = (int)said("array of maps", BPF(BPF_MAP_CREATE, .map_type = BPF_MAP_TYPE_ARRAY_OF_MAPS, .key_size = 4, .value_size = 4, .max_entries = 2, .inner_map_fd = inner));
	tried("of itself", BPF(BPF_MAP_CREATE, .map_type = BPF_MAP_TYPE_ARRAY_OF_MAPS, .key_size = 4, .value_size = 4, .max_entries = 2, .inner_map_fd = outer));
	said("update", update(outer, &key, &inner, 0));
	said("update of another kind", update(outer, &key, &other, 0));
	said("lookup", lookup(outer, &key, &id));
	TRUTH(id > 0);
	said("delete", delete(outer, &key));
	said("lookup", lookup(outer, &key, &id));
	said("update of a hash", update(hash, &key, &inner, BPF_NOEXIST));
	said("update again", update(hash, &key, &inner, BPF_NOEXIST));
	said("update with no descriptor", update(hash, &key, &(int){ 99 }, 0));
	said("lookup", lookup(hash, &key, &id));
	said("delete", delete(hash, &key));
	said("lookup", lookup(hash, &key, &id));
}

static void programs_in_maps(void)
{
	int fd = make_map(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 2, 0), key = 1, id = 0;
	int filter = LOAD(BPF_PROG_TYPE_SOCKET_FILTER, MOV64_IMM(0, 0), EXIT()), probe = LOAD(BPF_PROG_TYPE_KPROBE, MOV64_IMM(0, 0), EXIT());

	said("lookup", lookup(fd, &key, &id));
	said("update", update(fd, &key, &filter, 0));
	said("update of another type", update(fd, &key, &probe, 0));
	said("update of a map", update(fd, &key, &fd, 0));
	said("update NOEXIST", update(fd, &key, &filter, BPF_NOEXIST));
	said("lookup", lookup(fd, &key, &id));
	TRUTH(id > 0);
	said("delete", delete(fd, &key));
	said("delete again", delete(fd, &key));
	key = 2;
	said("update beyond the end", update(fd, &key, &filter, 0));
#define TAIL_CALL LD_MAP(2, fd), MOV64_IMM(3, 0), CALL_HELPER(BPF_FUNC_tail_call), MOV64_IMM(0, 0), EXIT()
	tried("use by a program of the same type", LOAD(BPF_PROG_TYPE_SOCKET_FILTER, TAIL_CALL));
	tried("use by a program of another type", LOAD(BPF_PROG_TYPE_KPROBE, TAIL_CALL));
}

int main(void)
{
	sizes();
	arrays();
	per_cpu(BPF_MAP_TYPE_PERCPU_ARRAY, "per-CPU array");
	per_cpu(BPF_MAP_TYPE_PERCPU_HASH, "per-CPU hash");
	queues(BPF_MAP_TYPE_QUEUE, "queue");
	queues(BPF_MAP_TYPE_STACK, "stack");
	bloom();
	trie();
	maps_in_maps();
	programs_in_maps();
	return 0;
}
