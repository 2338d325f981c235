/*
 * Parameters of a module: variables that insmod sets, and that /sys/module/NAME/parameters shows.
 *
 *	static int count = 10;
 *	module_param(count, int, 0644);
 *	MODULE_PARM_DESC(count, "how often");
 *
 * Types, names and texts as in Linux. perm: of the file in sysfs; 0: no file.
 */
#pragma once

#include "kernel/module/module.h"

struct kernel_param;

struct kernel_param_ops {
	unsigned flags;
	/* Parses val (NULL: none was given). 0 or a negative errno. kernel_param_mutex held. */
	int (*set)(const char *val, const struct kernel_param *kp);
	/* Prints the value with a newline to a buffer of a page. Returns the length. Same lock. */
	int (*get)(char *buffer, const struct kernel_param *kp);
	void (*free)(void *arg); /* when the module goes; NULL: nothing to do */
};
#define KERNEL_PARAM_OPS_FL_NOARG 1 /* a value need not be given */

struct kparam_string {
	unsigned maxlen;
	char *string;
};

struct kparam_array {
	unsigned max, elemsize;
	unsigned *num; /* how many were given; NULL: all */
	const struct kernel_param_ops *ops;
	void *elem;
};

/* An entry in a table of the module. Constant. */
struct kernel_param {
	const char *name;
	const struct kernel_param_ops *ops;
	unsigned perm;
	union {
		void *arg;
		const struct kparam_string *str;
		const struct kparam_array *arr;
	};
};

extern struct mutex kernel_param_mutex;

extern const struct kernel_param_ops param_ops_byte, param_ops_short, param_ops_ushort,
	param_ops_int, param_ops_uint, param_ops_long, param_ops_ulong, param_ops_ullong,
	param_ops_hexint, param_ops_charp, param_ops_bool, param_ops_invbool, param_ops_string,
	param_array_ops;

/*
 * Sets the parameters that args gives: "NAME=VALUE NAME" and so on; quotes keep blanks together.
 * Changes args. Returns 0, or the errno of the first that failed, after a message. Unknown names
 * are reported and ignored. Task context.
 */
int parse_args(const char *module, char *args, const struct kernel_param *params, unsigned count);
/* Frees what the set functions have allocated. */
void destroy_params(const struct kernel_param *params, unsigned count);

#ifdef MODULE
/* clang-format off */
#define __param_check(name, p, type) \
	static inline type __unused *__check_##name(void) { return (p); }
#define param_check_byte(name, p)    __param_check(name, p, unsigned char)
#define param_check_short(name, p)   __param_check(name, p, short)
#define param_check_ushort(name, p)  __param_check(name, p, unsigned short)
#define param_check_int(name, p)     __param_check(name, p, int)
#define param_check_uint(name, p)    __param_check(name, p, unsigned int)
#define param_check_hexint(name, p)  __param_check(name, p, unsigned int)
#define param_check_long(name, p)    __param_check(name, p, long)
#define param_check_ulong(name, p)   __param_check(name, p, unsigned long)
#define param_check_ullong(name, p)  __param_check(name, p, unsigned long long)
#define param_check_charp(name, p)   __param_check(name, p, char *)
#define param_check_bool(name, p)    __param_check(name, p, bool)
#define param_check_invbool(name, p) __param_check(name, p, bool)
/* clang-format on */

#define __module_param_call(param, param_ops, param_perm, ...)                                     \
	static const struct kernel_param __param_##param __used __aligned(8) __section(            \
		"__param") = { .name = #param, .ops = param_ops, .perm = param_perm, __VA_ARGS__ }
#define module_param_named(name, variable, type, perm)                                             \
	param_check_##type(name, &(variable));                                                     \
	__module_param_call(name, &param_ops_##type, perm, .arg = &(variable));                    \
	MODULE_INFO(parmtype, #name ":" #type)
#define module_param(name, type, perm) module_param_named(name, name, type, perm)
/* set and get of the module's own. */
#define module_param_cb(name, ops, variable, perm)                                                 \
	__module_param_call(name, ops, perm, .arg = (variable))
#define module_param_string(name, buffer, len, perm)                                               \
	static const struct kparam_string __param_string_##name = { len, buffer };                 \
	__module_param_call(name, &param_ops_string, perm, .str = &__param_string_##name);         \
	MODULE_INFO(parmtype, #name ":string")
/* "NAME=1,2,3". count points to an unsigned, or is NULL. */
#define module_param_array(name, type, count, perm)                                                \
	param_check_##type(name, &(name)[0]);                                                      \
	static const struct kparam_array __param_array_##name = { .max = ARRAY_SIZE(name),         \
								  .num = count,                    \
								  .ops = &param_ops_##type,        \
								  .elemsize = sizeof((name)[0]),   \
								  .elem = name };                  \
	__module_param_call(name, &param_array_ops, perm, .arr = &__param_array_##name);           \
	MODULE_INFO(parmtype, #name ":array of " #type)
#define MODULE_PARM_DESC(name, text) MODULE_INFO(parm, #name ":" text)
#endif
