/* The records of modules, for rooms above ftrace. */
#pragma once

/* A room above that adds functions of a module that comes to filters. */
struct ftrace_module_user {
	void (*coming)(const char *module); /* task context; no lock of ftrace */
};
/* At most one, registered at boot. */
void ftrace_set_module_user(const struct ftrace_module_user *user);
