
/* ---- linux_test_bpf_end.h: gives the tables to linux_test_bpf.c ---- */

int linux_test_count(void)
{
	return ARRAY_SIZE(tests);
}

/* The program of a test of eBPF that must run, or NULL. */
const void *linux_test_program(int i, unsigned *len, const char **name)
{
	struct bpf_test *test = &tests[i];

	*name = test->descr;
	if (!(test->aux & INTERNAL) || (test->aux & FLAG_EXPECTED_FAIL))
		return NULL;
	if (test->fill_helper) {
		if (test->fill_helper(test) < 0)
			return NULL;
		*len = test->u.ptr.len;
		return test->u.ptr.insns;
	}
	for (*len = MAX_INSNS; *len && !test->u.insns_int[*len - 1].code;)
		--*len;
	return test->u.insns_int;
}

/* Run number `run` of a test: false: there is none. data: of so many bytes, or none. */
bool linux_test_run(int i, int run, const void **data, unsigned *size, bool *plain_memory, unsigned *result)
{
	const struct bpf_test *test = &tests[i];

	if (run >= MAX_SUBTESTS || (run && !test->test[run].data_size))
		return false;
	*size = test->test[run].data_size;
	*plain_memory = test->aux & FLAG_LARGE_MEM;
	*data = test->aux & FLAG_NO_DATA ? NULL : *plain_memory ? calloc(1, *size + 1) : test->data;
	*result = test->test[run].result;
	return true;
}
