/*
 * The protocol is go-back-N. The receiver names the frame that it needs next; all frames before
 * that one have arrived, and the sender drops them. After a time without an answer the sender
 * repeats the oldest frame. The receiver, or another one in its place, answers with its position.
 */
#include "link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "crc32.h"

#define ANSWER_MS  250 /* after this time without an answer, repeat the oldest frame */
#define WAITING_AT 4   /* after this many repeats without an answer, tell the user */

static struct export_frame *frame_of(const struct export_link *link, u32 sequence)
{
	return (struct export_frame *)(link->frames +
				       (size_t)(sequence % EXPORT_WINDOW) * EXPORT_FRAME_MAX);
}

static int send_frame(struct export_link *link, u32 sequence)
{
	const struct export_frame *frame = frame_of(link, sequence);

	link->error = link->ops->send(link->context, frame, sizeof(*frame) + frame->wire_size);
	return link->error;
}

/* No receiver has acknowledged a frame yet, or the receiver does not answer any more. */
static bool has_receiver(const struct export_link *link)
{
	return link->base && link->unanswered < WAITING_AT;
}

/* Ends the link when the user wants the end and no receiver takes the rest. */
static bool give_up(struct export_link *link)
{
	if (!link->error && link->ending && !has_receiver(link))
		link->error = -EINTR;
	return link->error;
}

static int send_pending(struct export_link *link)
{
	while (link->next_out != link->next && !give_up(link))
		send_frame(link, link->next_out++);
	return link->error;
}

/* ---- lines from the receiver: `WORD SESSION … CRC`, numbers in hexadecimal ---- */

/* Terminates the word at *s, moves *s behind it and returns it; "" at the end of the line. */
static char *next_word(char **s)
{
	char *word = strsep(s, " ");

	return word ? word : "";
}

static bool parse_hex(const char *word, u32 *value)
{
	char *end;
	unsigned long long x = strtoull(word, &end, 16);

	if (!strchr("0123456789abcdef", *word) || *end || end == word || x > 0xffffffffULL)
		return false;
	*value = (u32)x;
	return true;
}

/* Drops the frames before wanted, which have arrived. False if wanted is not in the window. */
static bool acknowledge(struct export_link *link, u32 wanted)
{
	if (wanted - link->base > link->next - link->base)
		return false;
	/* `ready` may have set next_out back to frames that are acknowledged now. */
	if (link->next_out - link->base < wanted - link->base)
		link->next_out = wanted;
	link->base = wanted;
	return true;
}

/*
 * A request ends the current session, because that session's receiver has left. A receiver repeats
 * its request until it gets an answer, so a request for the current session is ignored.
 */
static void take_request(struct export_link *link, u32 session, const char *command, bool record)
{
	if (!link->listens || session == link->session || session == 0)
		return;
	link->request = session;
	link->record = record;
	memcpy(link->command, command, strlen(command) + 1); /* fits: it is a part of link->line */
	link->error = -EPIPE;
}

static void obey(struct export_link *link, char *line)
{
	char *end = strrchr(line, ' '), *word;
	u32 crc, session, wanted;

	if (!end || !parse_hex(end + 1, &crc) || crc32(0, line, (size_t)(end - line)) != crc)
		return; /* damaged; the receiver repeats the line */
	*end = '\0';
	word = next_word(&line);
	if (!parse_hex(next_word(&line), &session))
		return;
	if (!strcmp(word, "run") || !strcmp(word, "record")) {
		take_request(link, session, line ? line : "", !strcmp(word, "record"));
		return;
	}
	if (!parse_hex(next_word(&line), &wanted))
		return;
	link->unanswered = 0;
	if (!strcmp(word, "ready") && session == 0) {
		/* A new receiver. Any frame tells it the session. */
		link->next_out = link->base;
	} else if (session != link->session) {
		return;
	} else if (!strcmp(word, "ack")) {
		acknowledge(link, wanted);
	} else if (!strcmp(word, "ready")) {
		if (acknowledge(link, wanted)) {
			link->resent += link->next_out - wanted;
			link->next_out = wanted;
		}
	} else if (!strcmp(word, "stop")) {
		link->stop = true;
	}
}

static void receive_bytes(struct export_link *link, const char *s, size_t n)
{
	for (; n; s++, n--) {
		if (*s != '\n') {
			/* A line that is too long is cut. Its checksum is then wrong. */
			if (link->line_len < sizeof(link->line) - 1)
				link->line[link->line_len++] = *s;
			continue;
		}
		link->line[link->line_len] = '\0';
		link->line_len = 0;
		obey(link, link->line);
	}
}

int export_link_poll(struct export_link *link, int timeout_ms)
{
	char buf[128];
	long n;

	if (link->error)
		return link->error;
	n = link->ops->receive(link->context, buf, sizeof(buf), timeout_ms);
	link->heard = n != 0;
	if (n < 0)
		link->error = (int)n;
	else
		receive_bytes(link, buf, (size_t)n);
	return send_pending(link);
}

/* Waits until at most `wanted` frames are unacknowledged. */
static int wait_until(struct export_link *link, u32 wanted)
{
	while (link->next - link->base > wanted && !give_up(link)) {
		if (export_link_poll(link, ANSWER_MS) || link->heard)
			continue;
		if (++link->unanswered == WAITING_AT)
			link->ops->waiting(link->context);
		link->resent++;
		send_frame(link, link->base);
	}
	return link->error;
}

/* ---- frames ---- */

/* Builds the next frame from the payload. */
static void make_frame(struct export_link *link, enum export_type type, u8 flags, u16 cpu,
		       size_t size)
{
	struct export_frame *frame = frame_of(link, link->next);
	u8 *body = (u8 *)(frame + 1);
	/* deflate_fixed() returns 0 when the result would not be smaller. */
	size_t wire = size ? deflate_fixed(link->work, link->payload, size, body, size) : 0;

	if (wire)
		flags |= EXPORT_DEFLATED;
	else
		memcpy(body, link->payload, wire = size);
	*frame = (struct export_frame){
		.magic = EXPORT_MAGIC,
		.type = (u8)type,
		.flags = flags,
		.cpu = cpu,
		.session = link->session,
		.sequence = link->next,
		.wire_size = (u32)wire,
		.raw_size = (u32)size,
	};
	frame->crc = crc32(crc32(0, frame, offsetof(struct export_frame, crc)), body, wire);
	link->raw_bytes += size;
	link->wire_bytes += sizeof(*frame) + wire;
}

int export_link_send(struct export_link *link, enum export_type type, u8 flags, u16 cpu,
		     size_t size)
{
	if (wait_until(link, EXPORT_WINDOW - 1))
		return link->error;
	make_frame(link, type, flags, cpu, size);
	link->next++;
	return export_link_poll(link, 0);
}

void export_link_accept(struct export_link *link)
{
	link->session = link->request;
	link->base = link->next_out = link->next = 0;
	link->unanswered = 0;
	link->stop = false;
	link->error = 0;
}

int export_link_finish(struct export_link *link)
{
	if (wait_until(link, 0))
		return link->error;
	make_frame(link, EXPORT_BYE, 0, 0, 0);
	return send_frame(link, link->next);
}
