/*
 * The sender of the export protocol under libFuzzer. The receiver sends anything: lines with valid checksums, or random
 * bytes. The sender must send only whole frames of the window, in a session that the receiver asked for, and must keep
 * each frame until it is acknowledged.
 *
 * sources: user/trace-export/link.c user/trace-export/deflate.c user/trace-export/crc32.c
 * runs: 1000
 * flags: -O1
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "user/trace-export/crc32.h"
#include "user/trace-export/link.h"

static const uint8_t *input;
static size_t left;
static uint32_t heard; /* the highest number acknowledged with a valid checksum in this session */
static uint32_t session;

static uint32_t take(size_t bytes)
{
	uint32_t value = 0;

	while (bytes-- && left) {
		value = value << 8 | *input++;
		left--;
	}
	return value;
}

static int check_frame(void *context, const void *data, size_t size)
{
	const struct export_link *link = context;
	const struct export_frame *frame = data;
	const uint8_t *body = (const uint8_t *)(frame + 1);

	CHECK(size == sizeof(*frame) + frame->wire_size);
	CHECK(frame->magic == EXPORT_MAGIC && frame->session == session);
	CHECK(frame->wire_size <= frame->raw_size && frame->raw_size <= EXPORT_PAYLOAD);
	CHECK(crc32(crc32(0, frame, offsetof(struct export_frame, crc)), body, frame->wire_size) ==
	      frame->crc);
	CHECK(frame->sequence - link->base <= link->next - link->base);
	return 0;
}

/* A word, a session (the current one or any other) and a number, with a valid checksum. */
static size_t say_line(char *text, size_t size)
{
	static const char *const words[] = { "ack", "ready", "stop", "run", "record", "" };
	const char *word = words[take(1) % 6];
	uint32_t about = take(1) & 1 ? session : take(4), number = take(1) % 64;
	int n;

	if (take(1) % 8 == 0)
		number = take(4);
	n = snprintf(text, size - 16, "%s %x %x", word, about, number);
	if (about == session && (!strcmp(word, "ack") || !strcmp(word, "ready")) && number > heard)
		heard = number;
	return (size_t)n + (size_t)sprintf(text + n, " %x\n", crc32(0, text, (size_t)n));
}

/* An answer, random bytes, or silence. At the end of the input an error, so that every wait ends. */
static long receive(void *context, void *buf, size_t size, int timeout_ms)
{
	char text[96];
	size_t n;

	(void)context, (void)timeout_ms;
	if (!left)
		return -EINTR;
	switch (take(1) % 4) {
	case 0:
		return 0;
	case 1:
		n = take(1) % size;
		n = n < left ? n : left;
		memcpy(buf, input, n);
		input += n;
		left -= n;
		return (long)n;
	default:
		n = say_line(text, sizeof(text));
		CHECK(n <= size);
		memcpy(buf, text, n);
		return (long)n;
	}
}

static void waiting(void *context)
{
	(void)context;
}

static void check(const struct export_link *link)
{
	CHECK(link->next - link->base <= EXPORT_WINDOW);
	CHECK(link->next_out - link->base <= link->next - link->base);
	CHECK(link->base <= heard);
	CHECK(link->line_len < sizeof(link->line));
	CHECK(memchr(link->command, 0, sizeof(link->command)));
	CHECK(link->listens || link->error != -EPIPE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct export_operations ops = { check_frame, receive, waiting };
	static uint8_t frames[EXPORT_WINDOW * EXPORT_FRAME_MAX], payload[EXPORT_PAYLOAD];
	static struct deflate_workspace work;
	static struct export_link link;
	bool finished = false;

	input = data;
	left = size;
	heard = 0;
	session = 0xabc1;
	link = (struct export_link){ .ops = &ops,
				     .context = &link,
				     .session = session,
				     .frames = frames,
				     .payload = payload,
				     .work = &work,
				     .listens = take(1) & 1 };
	while (left && (!link.error || link.error == -EPIPE)) {
		if (link.error) {
			export_link_accept(&link);
			session = link.session;
			heard = 0;
			finished = false;
		}
		switch (finished ? 1 : take(1) % 8) {
		case 0:
			finished = !export_link_finish(&link);
			break;
		case 1:
			export_link_poll(&link, (int)take(1));
			break;
		default:
			memset(payload, (int)take(1), sizeof(payload));
			export_link_send(&link, EXPORT_PAGES, 0, 0, take(2) % (EXPORT_PAYLOAD + 1));
		}
		check(&link);
	}
	return 0;
}
