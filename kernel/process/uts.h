/* The names of the system: uname(2). */
#pragma once

#define UTS_NAME_LEN 65 /* with the NUL */

struct new_utsname {
	char sysname[UTS_NAME_LEN];
	char nodename[UTS_NAME_LEN];
	char release[UTS_NAME_LEN];
	char version[UTS_NAME_LEN];
	char machine[UTS_NAME_LEN];
	char domainname[UTS_NAME_LEN];
};

/* A consistent copy. Task context. */
void get_utsname(struct new_utsname *name);
/* Changes nodename and domainname, to those of *name. Task context. */
void set_utsname(const struct new_utsname *name);
