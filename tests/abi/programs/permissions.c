/* Permissions as another user: files, directories, the sticky bit, access(2) and faccessat(2). */
#include <grp.h>

#include "abi.h"

static void make(const char *name, mode_t mode, uid_t uid, gid_t gid)
{
	close(open(name, O_WRONLY | O_CREAT, 0600));
	chown(name, uid, gid);
	chmod(name, mode);
}

static void try(const char *name)
{
	int r = open(name, O_RDONLY), r_error = errno, w = open(name, O_WRONLY), w_error = errno;

	show("%s: read %s write %s access %d%d%d", name, r < 0 ? error_name(r_error) : "ok",
	     w < 0 ? error_name(w_error) : "ok", access(name, R_OK), access(name, W_OK), access(name, X_OK));
	close(r);
	close(w);
}

static void all(void)
{
	try("own");
	try("group");
	try("extra");
	try("others");
	try("none");
	try("owner-none");
	try("closed/f");
	try("noread/f");
	CALL(close(open("noread", O_RDONLY)));
	CALL(chdir("closed"));
	CALL(open("readonly/new", O_WRONLY | O_CREAT, 0600));
	CALL(mkdir("readonly/new", 0700));
	CALL(unlink("readonly/f"));
	CALL(rename("readonly/f", "sticky/f"));
	CALL(close(open("sticky/mine", O_WRONLY | O_CREAT, 0600)));
	CALL(unlink("sticky/roots"));
	CALL(rename("sticky/roots", "sticky/mine"));
	CALL(rename("sticky/mine", "sticky/roots"));
	CALL(unlink("sticky/mine"));
	CALL(link("others", "sticky/link"));
	CALL(symlink("x", "readonly/s"));
}

static void as_root(void)
{
	all();
	CALL(access("own", X_OK));
	CALL(access("exec", X_OK));
}

static void as_user(void)
{
	gid_t extra[] = { 300 };

	CALL(setgroups(1, extra));
	CALL(setgid(100));
	CALL(setuid(1000));
	all();
}

static void real_and_effective(void)
{
	CALL(setresgid(100, 0, 0));
	CALL(setresuid(1000, 0, 0));
	CALL(access("none", R_OK));
	CALL(faccessat(AT_FDCWD, "none", R_OK, AT_EACCESS));
	CALL(open("none", O_RDONLY));
	CALL(access("own", R_OK));
	CALL(access("own", 8));
}

int main(void)
{
	umask(0);
	chmod(".", 0777);
	make("own", 0600, 1000, 1000);
	make("group", 0060, 0, 100);
	make("extra", 0060, 0, 300);
	make("others", 0006, 0, 0);
	make("none", 0600, 0, 0);
	make("owner-none", 0077, 1000, 100);
	make("exec", 0001, 1, 1);
	mkdir("closed", 0700);
	make("closed/f", 0666, 0, 0);
	mkdir("noread", 0711);
	make("noread/f", 0666, 0, 0);
	mkdir("readonly", 0755);
	make("readonly/f", 0666, 1000, 100);
	mkdir("sticky", 01777);
	make("sticky/roots", 0666, 0, 0);
	CHILD(as_user);
	CHILD(real_and_effective);
	CHILD(as_root);
	return 0;
}
