/*
 * The binary interface of perf_event_open(2), as man-pages describe it and programs use it: what a
 * program passes, and what it reads in a mapped buffer. Names and numbers are Linux's. Nothing here
 * is of the kernel alone, so that tests on the host include it, too.
 */
#pragma once

#include "kernel/compiler.h"

/* perf_event_attr.type. More numbers belong to PMUs that sysfs names (kprobe, uprobe). */
enum perf_type_id {
	PERF_TYPE_HARDWARE,
	PERF_TYPE_SOFTWARE,
	PERF_TYPE_TRACEPOINT, /* config: the event's number in tracefs */
	PERF_TYPE_HW_CACHE,
	PERF_TYPE_RAW,
	PERF_TYPE_BREAKPOINT,
	PERF_TYPE_MAX
};

/* config of PERF_TYPE_SOFTWARE. */
enum perf_sw_ids {
	PERF_COUNT_SW_CPU_CLOCK,  /* ns */
	PERF_COUNT_SW_TASK_CLOCK, /* ns */
	PERF_COUNT_SW_PAGE_FAULTS,
	PERF_COUNT_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_CPU_MIGRATIONS,
	PERF_COUNT_SW_PAGE_FAULTS_MIN,
	PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	PERF_COUNT_SW_ALIGNMENT_FAULTS, /* 0 on x86 */
	PERF_COUNT_SW_EMULATION_FAULTS, /* 0 on x86 */
	PERF_COUNT_SW_DUMMY,            /* counts nothing: for records */
	PERF_COUNT_SW_BPF_OUTPUT,
	PERF_COUNT_SW_CGROUP_SWITCHES,
	PERF_COUNT_SW_MAX
};

/* sample_type: what a PERF_RECORD_SAMPLE contains. */
enum perf_event_sample_format {
	PERF_SAMPLE_IP = 1 << 0,
	PERF_SAMPLE_TID = 1 << 1,
	PERF_SAMPLE_TIME = 1 << 2,
	PERF_SAMPLE_ADDR = 1 << 3,
	PERF_SAMPLE_READ = 1 << 4,
	PERF_SAMPLE_CALLCHAIN = 1 << 5,
	PERF_SAMPLE_ID = 1 << 6,
	PERF_SAMPLE_CPU = 1 << 7,
	PERF_SAMPLE_PERIOD = 1 << 8,
	PERF_SAMPLE_STREAM_ID = 1 << 9,
	PERF_SAMPLE_RAW = 1 << 10,
	PERF_SAMPLE_BRANCH_STACK = 1 << 11,
	PERF_SAMPLE_REGS_USER = 1 << 12,
	PERF_SAMPLE_STACK_USER = 1 << 13,
	PERF_SAMPLE_WEIGHT = 1 << 14,
	PERF_SAMPLE_DATA_SRC = 1 << 15,
	PERF_SAMPLE_IDENTIFIER = 1 << 16,
	PERF_SAMPLE_TRANSACTION = 1 << 17,
	PERF_SAMPLE_REGS_INTR = 1 << 18,
	PERF_SAMPLE_PHYS_ADDR = 1 << 19,
	PERF_SAMPLE_AUX = 1 << 20,
	PERF_SAMPLE_CGROUP = 1 << 21,
	PERF_SAMPLE_DATA_PAGE_SIZE = 1 << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE = 1 << 23,
	PERF_SAMPLE_WEIGHT_STRUCT = 1 << 24,
	PERF_SAMPLE_MAX = 1 << 25
};

/* read_format: what read(2) returns. */
enum perf_event_read_format {
	PERF_FORMAT_TOTAL_TIME_ENABLED = 1 << 0,
	PERF_FORMAT_TOTAL_TIME_RUNNING = 1 << 1,
	PERF_FORMAT_ID = 1 << 2,
	PERF_FORMAT_GROUP = 1 << 3,
	PERF_FORMAT_LOST = 1 << 4,
	PERF_FORMAT_MAX = 1 << 5
};

/* branch_sample_type: only checked. There are no branch records. */
enum perf_branch_sample_type {
	PERF_SAMPLE_BRANCH_USER = 1 << 0,
	PERF_SAMPLE_BRANCH_KERNEL = 1 << 1,
	PERF_SAMPLE_BRANCH_HV = 1 << 2,
	PERF_SAMPLE_BRANCH_PLM_ALL =
		PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV,
	PERF_SAMPLE_BRANCH_MAX = 1 << 19
};

/* What REGS_USER and REGS_INTR contain. */
enum perf_sample_regs_abi {
	PERF_SAMPLE_REGS_ABI_NONE,
	PERF_SAMPLE_REGS_ABI_32,
	PERF_SAMPLE_REGS_ABI_64
};

/* The numbers of registers in sample_regs_user and sample_regs_intr. */
enum perf_event_x86_regs {
	PERF_REG_X86_AX,
	PERF_REG_X86_BX,
	PERF_REG_X86_CX,
	PERF_REG_X86_DX,
	PERF_REG_X86_SI,
	PERF_REG_X86_DI,
	PERF_REG_X86_BP,
	PERF_REG_X86_SP,
	PERF_REG_X86_IP,
	PERF_REG_X86_FLAGS,
	PERF_REG_X86_CS,
	PERF_REG_X86_SS,
	PERF_REG_X86_DS,
	PERF_REG_X86_ES,
	PERF_REG_X86_FS,
	PERF_REG_X86_GS,
	PERF_REG_X86_R8,
	PERF_REG_X86_R15 = PERF_REG_X86_R8 + 7,
	PERF_REG_X86_64_MAX,
	PERF_REG_X86_XMM0 = 32 /* from here on: registers that nop5 does not record */
};

/* bp_type. Not both R and X, nor W and X. */
enum {
	HW_BREAKPOINT_EMPTY = 0,
	HW_BREAKPOINT_R = 1,
	HW_BREAKPOINT_W = 2,
	HW_BREAKPOINT_RW = HW_BREAKPOINT_R | HW_BREAKPOINT_W,
	HW_BREAKPOINT_X = 4
};

/* Sizes of struct perf_event_attr since its first version. */
#define PERF_ATTR_SIZE_VER0 64
#define PERF_ATTR_SIZE_VER7 128

struct perf_event_attr {
	u32 type; /* enum perf_type_id, or the number of a PMU */
	u32 size; /* of this struct as the program knows it */
	u64 config;
	union {
		u64 sample_period; /* counts from one sample to the next; 0: no samples */
		u64 sample_freq;   /* with freq: samples in a second */
	};
	u64 sample_type; /* enum perf_event_sample_format */
	u64 read_format; /* enum perf_event_read_format */

	u64 disabled : 1;       /* off at first */
	u64 inherit : 1;        /* children of the task get it */
	u64 pinned : 1;         /* no effect: no event waits for a counter */
	u64 exclusive : 1;      /* no effect */
	u64 exclude_user : 1;   /* not in user mode */
	u64 exclude_kernel : 1; /* not in the kernel */
	u64 exclude_hv : 1;     /* no effect */
	u64 exclude_idle : 1;   /* not in the idle task */
	u64 mmap : 1;           /* records of executable areas */
	u64 comm : 1;           /* records of new names */
	u64 freq : 1;           /* sample_freq is valid */
	u64 inherit_stat : 1;   /* counts of each task: no effect */
	u64 enable_on_exec : 1; /* the next exec enables it */
	u64 task : 1;           /* records of forks and ends */
	u64 watermark : 1;      /* wakeup_watermark is valid */
	u64 precise_ip : 2;     /* no effect on software events */
	u64 mmap_data : 1;      /* records of other areas */
	u64 sample_id_all : 1;  /* all records end with the ids of sample_type */
	u64 exclude_host : 1;   /* no effect */
	u64 exclude_guest : 1;  /* no effect */
	u64 exclude_callchain_kernel : 1;
	u64 exclude_callchain_user : 1;
	u64 mmap2 : 1;     /* records of areas with inode, or build id */
	u64 comm_exec : 1; /* records of names say whether exec has given them */
	u64 use_clockid : 1;
	u64 context_switch : 1; /* records of switches */
	u64 write_backward : 1; /* the buffer is filled from its end */
	u64 namespaces : 1;     /* records of namespaces */
	u64 ksymbol : 1;        /* records of symbols of generated code */
	u64 bpf_event : 1;      /* records of BPF programs: none yet */
	u64 aux_output : 1;     /* refused */
	u64 cgroup : 1;         /* records of cgroups: none */
	u64 text_poke : 1;      /* records of changes of the kernel's code */
	u64 build_id : 1;       /* mmap2 has build ids */
	u64 inherit_thread : 1; /* only threads inherit */
	u64 remove_on_exec : 1; /* the event ends at exec */
	u64 sigtrap : 1;        /* a sample sends SIGTRAP to the task */
	u64 __reserved_1 : 26;

	union {
		u32 wakeup_events;    /* samples until a wake-up */
		u32 wakeup_watermark; /* bytes until a wake-up */
	};
	u32 bp_type; /* HW_BREAKPOINT_* */
	union {
		u64 bp_addr;
		u64 kprobe_func; /* a user address: the name of a function */
		u64 uprobe_path; /* a user address: a path */
		u64 config1;
	};
	union {
		u64 bp_len;
		u64 kprobe_addr;  /* without kprobe_func */
		u64 probe_offset; /* with kprobe_func or uprobe_path */
		u64 config2;
	};
	u64 branch_sample_type; /* enum perf_branch_sample_type */
	u64 sample_regs_user;   /* bits by enum perf_event_x86_regs */
	u32 sample_stack_user;  /* bytes */
	s32 clockid;            /* with use_clockid */
	u64 sample_regs_intr;
	u32 aux_watermark;
	u16 sample_max_stack; /* frames of a call chain; 0: the sysctl */
	u16 __reserved_2;
	u32 aux_sample_size;
	u32 __reserved_3;
	u64 sig_data; /* si_perf_data of sigtrap */
};
BUILD_BUG_ON(sizeof(struct perf_event_attr) != PERF_ATTR_SIZE_VER7);

/* flags of perf_event_open(2). */
#define PERF_FLAG_FD_NO_GROUP 1UL
#define PERF_FLAG_FD_OUTPUT   2UL
#define PERF_FLAG_PID_CGROUP  4UL
#define PERF_FLAG_FD_CLOEXEC  8UL

/* The argument of QUERY_BPF. */
struct perf_event_query_bpf {
	u32 ids_len;  /* room in ids */
	u32 prog_cnt; /* set by the kernel */
	u32 ids[];
};

/* ioctl(2): _IO('$', n) and its kin. */
#define PERF_EVENT_IOC_ENABLE            0x2400
#define PERF_EVENT_IOC_DISABLE           0x2401
#define PERF_EVENT_IOC_REFRESH           0x2402
#define PERF_EVENT_IOC_RESET             0x2403
#define PERF_EVENT_IOC_PERIOD            0x40082404
#define PERF_EVENT_IOC_SET_OUTPUT        0x2405
#define PERF_EVENT_IOC_SET_FILTER        0x40082406
#define PERF_EVENT_IOC_ID                0x80082407
#define PERF_EVENT_IOC_SET_BPF           0x40042408
#define PERF_EVENT_IOC_PAUSE_OUTPUT      0x40042409
#define PERF_EVENT_IOC_QUERY_BPF         0xc008240a
#define PERF_EVENT_IOC_MODIFY_ATTRIBUTES 0x4008240b
#define PERF_IOC_FLAG_GROUP              1UL /* the argument of ENABLE, DISABLE and RESET */

/*
 * The first page of a mapped buffer. A program may write anything anywhere in it. The kernel reads
 * only data_tail.
 */
struct perf_event_mmap_page {
	u32 version, compat_version; /* 0 */
	/*
	 * Odd while the kernel writes the fields from here to time_mask: a reader reads again if
	 * lock has changed.
	 */
	u32 lock;
	u32 index;                      /* 0: no counter to read with rdpmc */
	s64 offset;                     /* the count, without index */
	u64 time_enabled, time_running; /* ns */
	union {
		u64 capabilities;
		struct {
			u64 cap_bit0 : 1;
			u64 cap_bit0_is_deprecated : 1;
			u64 cap_user_rdpmc : 1;
			u64 cap_user_time : 1;      /* time_shift, time_mult, time_offset */
			u64 cap_user_time_zero : 1; /* time_zero */
			u64 cap_user_time_short : 1;
			u64 cap_____res : 58;
		};
	};
	u16 pmc_width;
	/* ns = time_zero + (tsc * time_mult >> time_shift): the TIME of samples. */
	u16 time_shift;
	u32 time_mult;
	u64 time_offset; /* the same, for time_enabled */
	u64 time_zero;
	u32 size; /* bytes of this struct in use, up to here */
	u32 __reserved_1;
	u64 time_cycles, time_mask; /* with cap_user_time_short */
	u8 __reserved[928];

	u64 data_head;              /* bytes written so far; a release store behind the records */
	u64 data_tail;              /* bytes read so far: the program writes it */
	u64 data_offset, data_size; /* of the data, in the mapping */
	u64 aux_head, aux_tail, aux_offset, aux_size; /* 0 */
};
BUILD_BUG_ON(offsetof(struct perf_event_mmap_page, data_head) != 1024);
/* perf_event_mmap_page.size: Linux's, up to time_mask. */
#define PERF_USER_PAGE_SIZE 96
BUILD_BUG_ON(offsetof(struct perf_event_mmap_page, __reserved) != PERF_USER_PAGE_SIZE);

/* All records begin with this, and have a size that is a multiple of 8. */
struct perf_event_header {
	u32 type; /* enum perf_event_type */
	u16 misc; /* PERF_RECORD_MISC_* */
	u16 size;
};

#define PERF_RECORD_MISC_CPUMODE_MASK       7
#define PERF_RECORD_MISC_KERNEL             1
#define PERF_RECORD_MISC_USER               2
#define PERF_RECORD_MISC_MMAP_DATA          (1 << 13) /* MMAP, MMAP2: not executable */
#define PERF_RECORD_MISC_COMM_EXEC          (1 << 13) /* COMM: by exec */
#define PERF_RECORD_MISC_FORK_EXEC          (1 << 13) /* FORK: not used by nop5 */
#define PERF_RECORD_MISC_SWITCH_OUT         (1 << 13) /* SWITCH */
#define PERF_RECORD_MISC_EXACT_IP           (1 << 14) /* SAMPLE: not used by nop5 */
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT (1 << 14) /* SWITCH: the task is still runnable */
#define PERF_RECORD_MISC_MMAP_BUILD_ID      (1 << 14) /* MMAP2 */

/* The bodies of records. `ids` are the sample ids, if attr.sample_id_all. */
enum perf_event_type {
	PERF_RECORD_MMAP = 1,       /* u32 pid, tid; u64 addr, len, pgoff; char name[]; ids */
	PERF_RECORD_LOST = 2,       /* u64 id, lost; ids */
	PERF_RECORD_COMM = 3,       /* u32 pid, tid; char comm[]; ids */
	PERF_RECORD_EXIT = 4,       /* u32 pid, ppid, tid, ptid; u64 time; ids */
	PERF_RECORD_THROTTLE = 5,   /* u64 time, id, stream_id; ids */
	PERF_RECORD_UNTHROTTLE = 6, /* the same */
	PERF_RECORD_FORK = 7,       /* as EXIT */
	PERF_RECORD_READ = 8,
	PERF_RECORD_SAMPLE = 9, /* docs/perf-samples.md */
	/*
	 * u32 pid, tid; u64 addr, len, pgoff; then u32 maj, min; u64 ino, ino_generation; or with
	 * MISC_MMAP_BUILD_ID u8 size, reserved; u16 reserved; u8 build_id[20]; then u32 prot,
	 * flags; char name[]; ids
	 */
	PERF_RECORD_MMAP2 = 10,
	PERF_RECORD_AUX = 11,
	PERF_RECORD_ITRACE_START = 12,
	PERF_RECORD_LOST_SAMPLES = 13,
	PERF_RECORD_SWITCH = 14,          /* ids */
	PERF_RECORD_SWITCH_CPU_WIDE = 15, /* u32 pid, tid of the other task; ids */
	PERF_RECORD_NAMESPACES = 16,      /* u32 pid, tid; u64 nr; { u64 dev, ino; }[nr]; ids */
	PERF_RECORD_KSYMBOL = 17,         /* u64 addr; u32 len; u16 type, flags; char name[]; ids */
	PERF_RECORD_BPF_EVENT = 18,
	PERF_RECORD_CGROUP = 19,
	PERF_RECORD_TEXT_POKE =
		20, /* u64 addr; u16 old_len, new_len; u8 old[], new[], pad[]; ids */
	PERF_RECORD_AUX_OUTPUT_HW_ID = 21
};

#define PERF_RECORD_KSYMBOL_TYPE_OOL         2 /* generated code */
#define PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER 1

/* Marks in a call chain: what kind of addresses follows. */
#define PERF_CONTEXT_KERNEL (~0ULL - 127)
#define PERF_CONTEXT_USER   (~0ULL - 511)

#define PERF_MEM_NA 0x5080021ULL /* DATA_SRC of an event that knows nothing of memory */
