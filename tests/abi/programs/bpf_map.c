/* Maps by bpf(2): elements, flags, freezing, mappings, batches, info, descriptors. */
#include "bpf.h"

static void elements(void)
{
	int fd = make_map(BPF_MAP_TYPE_HASH, 4, 8, 3, 0), key = 1, next = -1;
	uint64_t value = 11, found = 0;

	said("lookup in an empty map", lookup(fd, &key, &found));
	said("next key of an empty map", next_key(fd, NULL, &next));
	said("delete in an empty map", delete(fd, &key));
	said("update EXIST", update(fd, &key, &value, BPF_EXIST));
	said("update ANY", update(fd, &key, &value, BPF_ANY));
	said("update NOEXIST", update(fd, &key, &value, BPF_NOEXIST));
	value = 12;
	said("update EXIST", update(fd, &key, &value, BPF_EXIST));
	said("update with flags 3", update(fd, &key, &value, 3));
	said("update LOCK", update(fd, &key, &value, BPF_F_LOCK));
	said("lookup", lookup(fd, &key, &found));
	show("found %d", (int)found);
	said("lookup LOCK", BPF(BPF_MAP_LOOKUP_ELEM, .map_fd = fd, .key = (uintptr_t)&key, .value = (uintptr_t)&found, .flags = BPF_F_LOCK));
	said("lookup with flags 1", BPF(BPF_MAP_LOOKUP_ELEM, .map_fd = fd, .key = (uintptr_t)&key, .value = (uintptr_t)&found, .flags = 1));
	said("lookup with a bad key", lookup(fd, (void *)8, &found));
	said("lookup with a bad value", lookup(fd, &key, (void *)8));
	said("update with a bad key", update(fd, (void *)8, &value, 0));
	said("update with a bad value", update(fd, &key, (void *)8, 0));
	said("next key", next_key(fd, NULL, &next));
	show("next %d", next);
	said("next key of the last", next_key(fd, &next, &next));
	key = 77;
	said("next key of one that is not there", next_key(fd, &key, &next));
	show("next %d", next);
	said("next key to bad memory", next_key(fd, NULL, (void *)8));
	for (key = 2; key < 5; key++)
		said("one more", update(fd, &key, &value, 0));
	key = 1;
	said("lookup and delete", BPF(BPF_MAP_LOOKUP_AND_DELETE_ELEM, .map_fd = fd, .key = (uintptr_t)&key, .value = (uintptr_t)&found));
	show("found %d", (int)found);
	said("lookup and delete again", BPF(BPF_MAP_LOOKUP_AND_DELETE_ELEM, .map_fd = fd, .key = (uintptr_t)&key, .value = (uintptr_t)&found));
	said("lookup and delete LOCK", BPF(BPF_MAP_LOOKUP_AND_DELETE_ELEM, .map_fd = fd, .key = (uintptr_t)&key, .value = (uintptr_t)&found, .flags = BPF_F_LOCK));
	close(fd);
}

static void rights(void)
{
	int rdonly = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_RDONLY), wronly = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_WRONLY), key = 0;
	uint64_t value = 5;

	said("both", make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_RDONLY | BPF_F_WRONLY));
	said("update of a read-only descriptor", update(rdonly, &key, &value, 0));
	said("lookup of a read-only descriptor", lookup(rdonly, &key, &value));
	said("update of a write-only descriptor", update(wronly, &key, &value, 0));
	said("lookup of a write-only descriptor", lookup(wronly, &key, &value));
	said("next key of a write-only descriptor", next_key(wronly, NULL, &key));
	said("lookup and delete of a read-only descriptor", BPF(BPF_MAP_LOOKUP_AND_DELETE_ELEM, .map_fd = rdonly, .key = (uintptr_t)&key, .value = (uintptr_t)&value));
	show("close on exec: %d", fcntl(rdonly, F_GETFD));
	show("access mode: %d %d", fcntl(rdonly, F_GETFL) & O_ACCMODE, fcntl(wronly, F_GETFL) & O_ACCMODE);
	said("read(2)", read(rdonly, &value, 8));
	said("write(2)", write(wronly, &value, 8));
	said("lseek(2)", lseek(rdonly, 0, SEEK_SET));
	close(rdonly);
	close(wronly);
}

static void said_map(const char *what, int fd, size_t size, int protection, int flags, off_t offset)
{
	void *area = mmap(NULL, size, protection, flags, fd, offset);

	said(what, area == MAP_FAILED ? -1 : 0);
	if (area != MAP_FAILED)
		munmap(area, size);
}

#define RW (PROT_READ | PROT_WRITE)

static void mappings(void)
{
	int plain = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 600, 0), fd = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 600, BPF_F_MMAPABLE), key = 599;
	int constant = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 600, BPF_F_MMAPABLE | BPF_F_RDONLY_PROG);
	uint64_t value = 42, *area;

	said("a hash that can be mapped", make_map(BPF_MAP_TYPE_HASH, 4, 8, 1, BPF_F_MMAPABLE));
	said_map("not a map for that", plain, 4096, RW, MAP_SHARED, 0);
	said_map("private", fd, 4096, RW, MAP_PRIVATE, 0);
	said_map("two pages", fd, 8192, RW, MAP_SHARED, 0);
	said_map("three pages", fd, 3 * 4096, RW, MAP_SHARED, 0);
	said_map("the second page", fd, 4096, RW, MAP_SHARED, 4096);
	said_map("the third page", fd, 4096, RW, MAP_SHARED, 8192);
	said_map("executable", fd, 4096, RW | PROT_EXEC, MAP_SHARED, 0);
	said_map("constant for programs, to be written", constant, 4096, RW, MAP_SHARED, 0);
	said_map("constant for programs, to be read", constant, 4096, PROT_READ, MAP_SHARED, 0);
	update(fd, &key, &value, 0);
	area = mmap(NULL, 8192, RW, MAP_SHARED, fd, 0);
	show("the map shows %d", (int)area[599]);
	area[3] = 33;
	key = 3;
	lookup(fd, &key, &value);
	show("the element is %d", (int)value);
	said("freeze while mapped", BPF(BPF_MAP_FREEZE, .map_fd = fd));
	said("mprotect to read", mprotect(area, 8192, PROT_READ));
	said("freeze while it could be written", BPF(BPF_MAP_FREEZE, .map_fd = fd));
	munmap(area, 8192);
	area = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
	said("mprotect to write", mprotect(area, 8192, RW));
	said("freeze", BPF(BPF_MAP_FREEZE, .map_fd = fd));
	said("freeze again", BPF(BPF_MAP_FREEZE, .map_fd = fd));
	said("update", update(fd, &key, &value, 0));
	said("delete", delete(fd, &key));
	said("lookup", lookup(fd, &key, &value));
	said_map("frozen, to be written", fd, 4096, RW, MAP_SHARED, 0);
	said_map("frozen, to be read", fd, 4096, PROT_READ, MAP_SHARED, 0);
	said("freeze the constant one", BPF(BPF_MAP_FREEZE, .map_fd = constant));
	said_map("the constant one, to be written", constant, 4096, RW, MAP_SHARED, 0);
}

static void batches(void)
{
	int fd = make_map(BPF_MAP_TYPE_HASH, 4, 8, 64, 0), array = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 10, 0), keys[64], sum = 0, total = 0;
	int queue = make_map(BPF_MAP_TYPE_QUEUE, 0, 8, 4, 0);
	uint64_t values[64];
	uint32_t position = 0;
	union bpf_attr attr;
	long result;

	for (int i = 0; i < 64; i++) {
		keys[i] = i;
		values[i] = (uint64_t)(i * 3);
	}
	attr = (union bpf_attr){ .batch = { .keys = (uintptr_t)keys, .values = (uintptr_t)values, .count = 40, .map_fd = (unsigned)fd } };
	said("update of 40", bpf(BPF_MAP_UPDATE_BATCH, &attr, sizeof(attr)));
	show("count %u", attr.batch.count);
	attr.batch.elem_flags = BPF_NOEXIST;
	said("update of elements with flags", bpf(BPF_MAP_UPDATE_BATCH, &attr, sizeof(attr)));
	attr = (union bpf_attr){ .batch = { .out_batch = (uintptr_t)&position, .keys = (uintptr_t)keys, .values = (uintptr_t)values, .count = 40, .map_fd = (unsigned)fd } };
	do {
		attr.batch.count = 40;
		result = bpf(BPF_MAP_LOOKUP_BATCH, &attr, sizeof(attr));
		for (unsigned i = 0; i < attr.batch.count; i++)
			sum += (int)values[i] - 2 * keys[i];
		total += (int)attr.batch.count;
		attr.batch.in_batch = (uintptr_t)&position;
	} while (!result);
	said("lookups", result);
	show("%d elements, sum %d", total, sum);
	attr = (union bpf_attr){ .batch = { .keys = (uintptr_t)keys, .count = 64, .map_fd = (unsigned)fd } };
	for (int i = 0; i < 64; i++)
		keys[i] = i;
	said("delete of more than there are", bpf(BPF_MAP_DELETE_BATCH, &attr, sizeof(attr)));
	show("count %u", attr.batch.count);
	said("lookup with count 0", BPF(BPF_MAP_LOOKUP_BATCH, .batch = { .map_fd = (unsigned)fd }));
	said("of a queue", BPF(BPF_MAP_LOOKUP_BATCH, .batch = { .map_fd = (unsigned)queue, .count = 1 }));
	said("delete of an array", BPF(BPF_MAP_DELETE_BATCH, .batch = { .map_fd = (unsigned)array, .count = 1 }));
	attr = (union bpf_attr){ .batch = { .out_batch = (uintptr_t)&position, .keys = (uintptr_t)keys, .values = (uintptr_t)values, .count = 7, .map_fd = (unsigned)array } };
	said("lookup of 7 of an array", bpf(BPF_MAP_LOOKUP_BATCH, &attr, sizeof(attr)));
	show("count %u, position %u", attr.batch.count, position);
	attr.batch.in_batch = (uintptr_t)&position;
	said("lookup of the rest", bpf(BPF_MAP_LOOKUP_BATCH, &attr, sizeof(attr)));
	show("count %u, position %u", attr.batch.count, position);
}

/* Keys of a page: a bucket has more of them than the first room is for. */
static void batches_of_long_keys(void)
{
	enum { NR = 64, SIZE = 4096 };
	int fd = make_map(BPF_MAP_TYPE_HASH, SIZE, 4, NR, BPF_F_NO_PREALLOC), values[NR], right = 0, total = 0;
	char (*keys)[SIZE] = calloc(NR, SIZE);
	uint32_t position = 0;
	union bpf_attr attr = { .batch = { .keys = (uintptr_t)keys, .values = (uintptr_t)values, .count = NR, .map_fd = (unsigned)fd } };
	long result;

	for (int i = 0; i < NR; i++) {
		keys[i][SIZE - 1] = (char)i;
		values[i] = i;
	}
	said("update of long keys", bpf(BPF_MAP_UPDATE_BATCH, &attr, sizeof(attr)));
	attr.batch.out_batch = (uintptr_t)&position;
	do {
		memset(keys, 0, NR * SIZE);
		attr.batch.count = 40;
		result = bpf(BPF_MAP_LOOKUP_AND_DELETE_BATCH, &attr, sizeof(attr));
		for (unsigned i = 0; i < attr.batch.count; i++)
			right += keys[i][SIZE - 1] == values[i];
		total += (int)attr.batch.count;
		attr.batch.in_batch = (uintptr_t)&position;
	} while (!result);
	said("lookups and deletions", result);
	show("%d elements, %d right", total, right);
	free(keys);
}

static void information(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_HASH, .key_size = 4, .value_size = 8, .max_entries = 5, .map_name = "a_map.1" };
	int fd = (int)bpf(BPF_MAP_CREATE, &attr, sizeof(attr)), again;
	struct bpf_map_info info = { 0 };

	strcpy(attr.map_name, "a-map");
	said("a name with a dash", bpf(BPF_MAP_CREATE, &attr, sizeof(attr)));
	memset(attr.map_name, 'a', sizeof(attr.map_name));
	said("a name without an end", bpf(BPF_MAP_CREATE, &attr, sizeof(attr)));
	attr = (union bpf_attr){ .info = { .bpf_fd = (unsigned)fd, .info_len = sizeof(info), .info = (uintptr_t)&info } };
	said("info", bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)));
	show("type %u, key %u, value %u, entries %u, flags %u, name %s, has an id: %d, %u bytes", info.type, info.key_size, info.value_size, info.max_entries, info.map_flags,
	     info.name, info.id > 0, attr.info.info_len);
	again = (int)said("by id", BPF(BPF_MAP_GET_FD_BY_ID, .map_id = info.id));
	attr = (union bpf_attr){ .start_id = info.id - 1 };
	said("next id", bpf(BPF_MAP_GET_NEXT_ID, &attr, sizeof(attr)));
	TRUTH(attr.next_id == info.id);
	close(fd);
	said("info of the other one", BPF(BPF_OBJ_GET_INFO_BY_FD, .info = { .bpf_fd = (unsigned)again, .info_len = 8, .info = (uintptr_t)&info }));
	close(again);
	let_others_run();
	said("by id when it is closed", BPF(BPF_MAP_GET_FD_BY_ID, .map_id = info.id));
}

static void proc_lines(void)
{
	int fd = make_map(BPF_MAP_TYPE_HASH, 4, 8, 5, BPF_F_NO_PREALLOC);
	char line[128];
	FILE *file;

	snprintf(line, sizeof(line), "/proc/self/fdinfo/%d", fd);
	file = fopen(line, "r");
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, "m", 1) == 0 ? strncmp(line, "map_id", 6) && strncmp(line, "memlock", 7) && strncmp(line, "mnt_id", 6) : strchr("kvf", line[0]) && strncmp(line, "flags", 5))
			show("%.*s", (int)strcspn(line, "\n"), line);
	fclose(file);
}

int main(void)
{
	elements();
	rights();
	mappings();
	batches();
	batches_of_long_keys();
	information();
	proc_lines();
	return 0;
}
