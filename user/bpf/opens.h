/* opens: the key of its table. */
#define NAME_SIZE 32

struct opened {
	char comm[16];        /* the name of the task */
	char file[NAME_SIZE]; /* the last part of its path */
};
