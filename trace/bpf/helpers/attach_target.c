/*
 * What a TRACING program is for: the function, tracepoint or iterator that attach_btf_id names in
 * the kernel's types.
 */
#include "kernel/btf/btf.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "trace/bpf/core/btf.h"
#include "trace/bpf/helpers/helpers.h"

DEFINE_LINKER_TABLE(rodata, const struct bpf_modifiable, bpf_modifiables);

#define TRACEPOINT_PREFIX "btf_trace_"
#define ITERATOR_PREFIX   "bpf_iter_"

/* A typedef btf_trace_NAME of a pointer to the type of a probe. */
static int find_tracepoint(struct bpf_prog *prog, const struct btf *btf, const struct btf_type *t,
			   const char *name)
{
	size_t length = sizeof(TRACEPOINT_PREFIX) - 1;
	const struct btf_type *proto;

	if (btf_kind(t) != BTF_KIND_TYPEDEF || strncmp(name, TRACEPOINT_PREFIX, length))
		return -EINVAL;
	t = btf_type_by_id(btf, t->type);
	proto = t && btf_kind(t) == BTF_KIND_PTR ? btf_type_by_id(btf, t->type) : NULL;
	if (!proto || btf_kind(proto) != BTF_KIND_FUNC_PROTO || !btf_vlen(proto))
		return -EINVAL;
	prog->attach_func_proto = proto;
	prog->attach_func_name = name + length;
	return 0;
}

/* Whether a word of the context can hold the argument or result: at most 16 bytes, in registers. */
static bool is_word_type(const struct btf *btf, u32 type, bool result)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, type, NULL);

	if (!t)
		return result; /* void */
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_PTR:
		return true;
	case BTF_KIND_STRUCT:
		return !result && t->size && t->size <= 16;
	default:
		return false;
	}
}

static bool is_supported_proto(const struct btf *btf, const struct btf_type *proto)
{
	const struct btf_param *params = btf_params(proto);

	if (btf_vlen(proto) > MAX_BPF_FUNC_ARGS || btf_is_variadic(proto) ||
	    !is_word_type(btf, proto->type, true))
		return false;
	for (u32 i = 0; i < btf_vlen(proto); i++)
		if (!is_word_type(btf, params[i].type, false))
			return false;
	return true;
}

/* The address of a function of that module; 0: none, or several, whose types are not known. */
static unsigned long find_in_module(const struct module *module, const char *function)
{
	unsigned long address, found = 0;
	char name[KSYM_NAME_LEN], in[KSYM_MODULE_LEN], type;

	for (unsigned i = 0; kallsyms_get_module(i, &address, &type, name, in); i++) {
		if (strcmp(in, module->name) || strcmp(name, function))
			continue;
		if (found)
			return 0;
		found = address;
	}
	return found;
}

/* Of the kernel, or of the module that the types are of. 0 or an errno. */
static int find_address(struct bpf_prog *prog)
{
	struct module *module;

	if (!bpf_btf_get_module(prog->attach_btf, &module))
		return -ENOENT;
	if (module) {
		prog->attach_addr = find_in_module(module, prog->attach_func_name);
		module_put(module);
		return prog->attach_addr ? 0 : -ENOENT;
	}
	prog->attach_addr = kallsyms_lookup_name(prog->attach_func_name);
	if (!prog->attach_addr)
		return -ENOENT;
	/* Of several functions with the name, the types of this one are not known. */
	return btf_proto_at(prog->attach_addr) == prog->attach_func_proto ? 0 : -EINVAL;
}

static int find_function(struct bpf_prog *prog, const struct btf *btf, const struct btf_type *t,
			 const char *name)
{
	const struct btf_type *proto;

	if (btf_kind(t) != BTF_KIND_FUNC)
		return -EINVAL;
	proto = btf_type_by_id(btf, t->type);
	if (!is_supported_proto(btf, proto))
		return -EINVAL;
	prog->attach_func_proto = proto;
	prog->attach_func_name = name;
	if (prog->expected_attach_type == BPF_TRACE_ITER)
		return strncmp(name, ITERATOR_PREFIX, sizeof(ITERATOR_PREFIX) - 1) ? -EINVAL : 0;
	return find_address(prog);
}

bool bpf_may_modify_return(unsigned long function)
{
	for_each_linker_table_entry (list, bpf_modifiables)
		if (list->contains(function))
			return true;
	return false;
}

int bpf_check_attach_target(struct bpf_prog *prog)
{
	const struct btf *btf = prog->attach_types;
	const struct btf_type *t;
	const char *name;

	if (prog->sleepable || !btf || !prog->attach_btf_id || prog->attach_btf_id >= btf->nr_types)
		return -EINVAL;
	t = btf_type_by_id(btf, prog->attach_btf_id);
	name = btf_name_by_offset(btf, t->name_off);
	if (!*name)
		return -EINVAL;
	switch (prog->expected_attach_type) {
	case BPF_TRACE_RAW_TP:
		return find_tracepoint(prog, btf, t, name);
	case BPF_TRACE_FENTRY:
	case BPF_TRACE_FEXIT:
	case BPF_MODIFY_RETURN:
	case BPF_TRACE_ITER:
		return find_function(prog, btf, t, name);
	default:
		return -EINVAL;
	}
}
