/*
 * The sending end of the export protocol (docs/trace-export.md). It sends numbered frames with
 * checksums over a serial line that may lose or damage bytes, and keeps each frame until the
 * receiver acknowledges it.
 *
 * All input and output goes through struct export_operations, so host tests can use a line that
 * damages data. A link belongs to one task.
 */
#pragma once

#include "deflate.h"

#define EXPORT_MAGIC   0x5845354eU /* "N5EX" */
#define EXPORT_VERSION 2
#define EXPORT_PAYLOAD 16384U /* bytes before compression, at most */
#define EXPORT_WINDOW  32U    /* unacknowledged frames, at most; a power of two */

enum export_type {
	EXPORT_HELLO = 1, /* text, KEY=VALUE lines */
	EXPORT_FILE,      /* PATH NUL, and the file's next bytes */
	EXPORT_PAGES,     /* sub-buffers of one CPU, read from trace_pipe_raw */
	EXPORT_END,       /* text, KEY=VALUE lines */
	EXPORT_BYE,       /* END is acknowledged: the receiver may leave. Not acknowledged itself */
	EXPORT_OUTPUT,    /* output of the command that the receiver requested */
	EXPORT_FILES,     /* whole files: of each one PATH NUL, its size in 4 bytes, and its bytes */
};

#define EXPORT_DEFLATED 0x01 /* flags: the payload is compressed, raw DEFLATE (RFC 1951) */
#define EXPORT_FIRST    0x02 /* EXPORT_FILE: the file begins here; drop its earlier contents */

/* On the wire, little-endian; wire_size bytes of payload follow. */
struct export_frame {
	u32 magic;
	u8 type;  /* enum export_type */
	u8 flags; /* EXPORT_DEFLATED, EXPORT_FIRST */
	u16 cpu;  /* for EXPORT_PAGES */
	u32 session;
	u32 sequence;
	u32 wire_size;
	u32 raw_size; /* size of the uncompressed payload */
	u32 crc;      /* CRC-32 of the header before this field, and of the payload as sent */
};

#define EXPORT_LINE_MAX 1024 /* size of a line from the receiver, with its NUL */

#define EXPORT_FRAME_MAX (sizeof(struct export_frame) + EXPORT_PAYLOAD)

struct export_operations {
	/* Sends all bytes. 0, or a negative errno, which ends the link. */
	int (*send)(void *context, const void *data, size_t size);
	/*
	 * Reads some of the receiver's bytes and returns their number; 0 when none came within
	 * timeout_ms. A negative errno ends the link.
	 */
	long (*receive)(void *context, void *buf, size_t size, int timeout_ms);
	/* Called once when the receiver has not answered for a while. */
	void (*waiting)(void *context);
};

struct export_link {
	const struct export_operations *ops;
	void *context;
	u32 session;
	u32 base;            /* the oldest frame that is not acknowledged */
	u32 next_out;        /* the next frame to send, base..next; the receiver can set it back */
	u32 next;            /* the number of the next new frame */
	bool stop;           /* the receiver has requested the end */
	bool ending;         /* the user has: without a receiver, give up with -EINTR */
	bool heard;          /* the last poll received something */
	unsigned unanswered; /* times that the oldest frame was sent again without an answer */
	int error;           /* the error that ended the link, or 0 */
	char line[EXPORT_LINE_MAX]; /* the receiver's current line, not yet complete */
	size_t line_len;
	bool listens;                  /* accept requests: each one ends the link with -EPIPE */
	u32 request;                   /* the session of the last request, */
	bool record;                   /* whether to trace its command, */
	char command[EXPORT_LINE_MAX]; /* and the command */
	u64 raw_bytes, wire_bytes;     /* sent for the first time; wire_bytes with headers */
	u32 resent;                    /* frames */
	u8 *frames;                    /* EXPORT_WINDOW times EXPORT_FRAME_MAX bytes */
	u8 *payload;                   /* EXPORT_PAYLOAD bytes: the next frame, uncompressed */
	struct deflate_workspace *work;
};

/* The caller fills in ops, context, session, frames, payload and work, and zeroes the rest. */

/* Sends size bytes of link->payload; waits for room in the window. 0 or the link's error. */
int export_link_send(struct export_link *link, enum export_type type, u8 flags, u16 cpu,
		     size_t size);
/* Handles the receiver's lines; timeout_ms 0: only bytes that have already arrived. */
int export_link_poll(struct export_link *link, int timeout_ms);
/* Begins the requested session, after -EPIPE. */
void export_link_accept(struct export_link *link);
/* Waits until the receiver has acknowledged all frames, then sends BYE. 0 or the link's error. */
int export_link_finish(struct export_link *link);
