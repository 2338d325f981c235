/*
 * The sending end of the export protocol (docs/trace-export.md): numbered, checksummed frames over
 * a serial line that may lose anything, kept until the receiver has acknowledged them.
 *
 * Pure but for its operations, so that it is tested on the host with lines that lie. One task uses
 * a link.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/lib/deflate.h"

#define EXPORT_MAGIC   0x5845354eU /* "N5EX" */
#define EXPORT_VERSION 1
#define EXPORT_PAYLOAD 16384U /* bytes before compression, at most */
#define EXPORT_WINDOW  32U    /* frames under way, at most; a power of two */

enum export_type {
	EXPORT_HELLO = 1, /* text, KEY=VALUE lines */
	EXPORT_FILE,      /* PATH NUL, and the file's next bytes */
	EXPORT_PAGES,     /* sub-buffers of one CPU, as trace_pipe_raw gave them */
	EXPORT_END,       /* text, KEY=VALUE lines */
	EXPORT_BYE,       /* all was acknowledged: the receiver may go. Not acknowledged itself */
	EXPORT_OUTPUT,    /* what the command has printed that the receiver has asked for */
};

#define EXPORT_DEFLATED 0x01 /* flags: the payload is compressed, raw DEFLATE (RFC 1951) */
#define EXPORT_FIRST    0x02 /* of EXPORT_FILE: the file begins here, whatever came before */

/* On the wire, little-endian; wire_size bytes of payload follow. */
struct export_frame {
	u32 magic;
	u8 type;  /* enum export_type */
	u8 flags; /* EXPORT_DEFLATED, EXPORT_FIRST */
	u16 cpu;  /* of EXPORT_PAGES */
	u32 session;
	u32 sequence;
	u32 wire_size;
	u32 raw_size; /* of the payload uncompressed */
	u32 crc;      /* CRC-32 of the header before this field, and of the payload as sent */
};

#define EXPORT_LINE_MAX 1024 /* what the receiver says, with its NUL */

#define EXPORT_FRAME_MAX (sizeof(struct export_frame) + EXPORT_PAYLOAD)

struct export_operations {
	/* All of it: 0, or -EINTR and the like, which ends the link. */
	int (*send)(void *context, const void *data, size_t size);
	/*
	 * Some of what the receiver has said: bytes; 0 when nothing came within timeout_ms;
	 * negative errors end the link.
	 */
	long (*receive)(void *context, void *buf, size_t size, int timeout_ms);
	/* The receiver has not answered for a while (once until it does). */
	void (*waiting)(void *context);
};

struct export_link {
	const struct export_operations *ops;
	void *context;
	u32 session;
	u32 base;     /* the oldest frame that is not acknowledged */
	u32 next_out; /* the next to be sent: base..next; it goes back when the receiver asks */
	u32 next;     /* the next number to be given */
	bool stop;    /* the receiver has asked for the end */
	bool heard;   /* the last poll heard something */
	unsigned unanswered; /* times that the oldest frame was sent again, and nothing came */
	int error;           /* that ended the link; 0 */
	char line[EXPORT_LINE_MAX]; /* of the receiver's, so far */
	size_t line_len;
	bool listens;                  /* requests are heard: -EPIPE ends the link at each */
	u32 request;                   /* the session of the last one, */
	bool record;                   /* whether its command is to be traced, */
	char command[EXPORT_LINE_MAX]; /* and the command */
	u64 raw_bytes, wire_bytes;     /* sent for the first time; with headers */
	u32 resent;                    /* frames */
	u8 *frames;                    /* EXPORT_WINDOW times EXPORT_FRAME_MAX bytes */
	u8 *payload;                   /* EXPORT_PAYLOAD bytes: of the next frame, uncompressed */
	struct deflate_workspace *work;
};

/* The caller has filled in ops, context, session, frames, payload and work, and zeroed the rest. */

/* Send size bytes of link->payload, waiting for room in the window: 0 or the link's error. */
int export_link_send(struct export_link *link, enum export_type type, u8 flags, u16 cpu,
		     size_t size);
/* Hear what the receiver has to say; timeout_ms 0: only what is there already. */
int export_link_poll(struct export_link *link, int timeout_ms);
/* The session that was requested begins, after -EPIPE. */
void export_link_accept(struct export_link *link);
/* Until the receiver has everything, and say so: 0 or the link's error. */
int export_link_finish(struct export_link *link);
