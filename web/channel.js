// The quiet channel: `trace-export -l` waits on the second serial line of the machine (docs/trace-export.md has the protocol). It runs
// commands of the page, whose output does not come to the terminal, and sends traces.

const CHANNEL = 1;
const MAGIC = 0x5845354e;	// "N5EX"
const HEADER = 28;
const FRAMES = { HELLO: 1, FILE: 2, PAGES: 3, END: 4, BYE: 5, OUTPUT: 6, FILES: 7 };
const DEFLATED = 1, FIRST = 2;
const ACK_EVERY = 8;		// frames
const PAUSE = 20;		// milliseconds without a frame after which the page acknowledges those that it has
const SILENCE = 500;		// milliseconds after which it repeats its request

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
	for (let bit = 0; bit < 8; bit++)
		byte = byte & 1 ? byte >>> 1 ^ 0xedb88320 : byte >>> 1;
	return byte;
});

export function crc32(...parts) {
	let crc = 0xffffffff;
	for (const part of parts)
		for (const byte of part)
			crc = CRC[(crc ^ byte) & 255] ^ crc >>> 8;
	return (crc ^ 0xffffffff) >>> 0;
}

function line(text) {
	return `${text} ${crc32(new TextEncoder().encode(text)).toString(16)}\n`;
}

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function fields(payload) {
	return Object.fromEntries(new TextDecoder().decode(payload).split("\n").filter(Boolean).map(text => {
		const at = text.indexOf("=");
		return [text.slice(0, at), text.slice(at + 1)];
	}));
}

// Takes the undamaged frames out of a stream of bytes, and skips what is between them.
export class Scanner {
	pending = new Uint8Array(0);

	feed(bytes) {
		const all = new Uint8Array(this.pending.length + bytes.length), frames = [];
		all.set(this.pending);
		all.set(bytes, this.pending.length);
		const view = new DataView(all.buffer);
		let at = 0;
		while (at + HEADER <= all.length) {
			const wire = view.getUint32(at + 16, true), raw = view.getUint32(at + 20, true);
			if (view.getUint32(at, true) !== MAGIC || wire > raw || raw > 16384) {
				at++;
				continue;
			}
			const end = at + HEADER + wire;
			if (end > all.length)
				break;
			const body = all.slice(at + HEADER, end);
			if (crc32(all.subarray(at, at + 24), body) !== view.getUint32(at + 24, true)) {
				at++;
				continue;
			}
			frames.push({ type: all[at + 4], flags: all[at + 5], cpu: view.getUint16(at + 6, true),
				session: view.getUint32(at + 8, true), sequence: view.getUint32(at + 12, true), body });
			at = end;
		}
		this.pending = all.slice(at);
		return frames;
	}
}

// One transfer: the frames of a request, in their order.
class Transfer {
	constructor(channel, word, command, progress) {
		this.channel = channel;
		this.progress = progress;	// progress(NUMBER OF FRAMES)
		this.owed = 0;			// frames that are not acknowledged
		this.session = 1 + Math.floor(Math.random() * 0x7ffffffe);
		this.request = line(`${word} ${this.session.toString(16)} ${command}`);
		this.frames = [];
		this.ended = false;
		this.scanner = new Scanner();
		this.done = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
		this.repeat();
	}

	answer(word) {
		this.owed = 0;
		this.channel.write(line(`${word} ${this.session.toString(16)} ${this.frames.length.toString(16)}`));
	}

	// Says again what the machine may not have heard.
	repeat() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.repeat(), SILENCE);
		if (this.frames.length)
			this.answer("ready");
		else
			this.channel.write(this.request);
	}

	hear(bytes) {
		for (const frame of this.scanner.feed(bytes)) {
			if (frame.session !== this.session)
				continue;
			if (frame.type === FRAMES.BYE)
				return this.finish();
			if (frame.sequence === this.frames.length) {
				this.frames.push(frame);
				this.ended ||= frame.type === FRAMES.END;
				if (++this.owed === ACK_EVERY || this.ended || frame.type === FRAMES.HELLO)
					this.answer("ack");
			} else if (frame.sequence > this.frames.length)
				this.answer("ready");
			else
				this.answer("ack");
		}
		this.progress(this.frames.length);
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.pause(), PAUSE);
	}

	pause() {
		if (this.owed)
			this.answer("ack");
		// After the last frame silence means that the machine has heard the page.
		this.timer = setTimeout(() => this.ended ? this.finish() : this.repeat(), SILENCE);
	}

	async finish() {
		this.stop();
		try {
			const payloads = await Promise.all(this.frames.map(frame => frame.flags & DEFLATED ? inflate(frame.body) : frame.body));
			const end = fields(payloads[payloads.length - 1]);
			if (end.status === "failed")
				throw new Error(end.error);
			this.resolve(this.frames.map((frame, index) => ({ ...frame, payload: payloads[index] })));
		} catch (error) {
			this.reject(error);
		}
	}

	stop() {
		clearTimeout(this.timer);
		this.channel.transfer = null;
	}
}

// [name, whether the file begins here, bytes] of each file in a frame.
function filesOf({ type, flags, payload }) {
	const files = [], decoder = new TextDecoder();
	for (let at = 0; at < payload.length;) {
		const end = payload.indexOf(0, at), name = decoder.decode(payload.subarray(at, end));
		if (type === FRAMES.FILE)
			return [[name, flags & FIRST, payload.subarray(end + 1)]];
		const begin = end + 5;
		at = begin + new DataView(payload.buffer, payload.byteOffset).getUint32(end + 1, true);
		files.push([name, true, payload.subarray(begin, at)]);
	}
	return files;
}

// The frames of a trace as {hello, files: {name: [bytes]}, pages: [[bytes] of each CPU]}.
export function traceOf(frames) {
	const trace = { hello: {}, files: {}, pages: [] };
	for (const frame of frames) {
		if (frame.type === FRAMES.HELLO)
			trace.hello = fields(frame.payload);
		else if (frame.type === FRAMES.PAGES)
			(trace.pages[frame.cpu] ??= []).push(frame.payload);
		else if (frame.type === FRAMES.FILE || frame.type === FRAMES.FILES)
			for (const [name, first, bytes] of filesOf(frame))
				trace.files[name] = [...(first ? [] : trace.files[name] ?? []), bytes];
	}
	return trace;
}

export class Channel {
	constructor(machine) {
		this.machine = machine;
		this.transfer = null;
		this.queue = Promise.resolve();
		machine.addEventListener("line", ({ detail }) => this.transfer?.hear(detail));
		machine.addEventListener("state", () => {
			this.transfer?.reject(new Error("the machine is off"));
			this.transfer?.stop();
		});
	}

	write(text) {
		this.machine.send(CHANNEL, new TextEncoder().encode(text));
	}

	// One request after the other.
	ask(word, command, progress = () => {}) {
		const answer = this.queue.then(() => {
			if (!this.machine.lines)
				throw new Error("the machine is off");
			this.transfer = new Transfer(this, word, command, progress);
			return this.transfer.done;
		});
		this.queue = answer.catch(() => {});
		return answer;
	}

	// The output of a command.
	async run(command) {
		const frames = await this.ask("run", command), decoder = new TextDecoder();
		return frames.filter(frame => frame.type === FRAMES.OUTPUT).map(frame => decoder.decode(frame.payload, { stream: true })).join("");
	}

	// The trace that is in the ring buffer.
	async trace(progress) {
		return traceOf(await this.ask("record", "true", progress));
	}
}
