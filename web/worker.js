// The machine: runs the emulator in a worker, which it never leaves, so that the page stays alive.
//
// The page sends {cpus, memory, kernel, sites} once, and shares two buffers with the worker from then on: `lines`, what is typed into
// the two serial lines (ring.js), and `sites`, one byte for each call site, which the worker refreshes. The worker sends
// {line, bytes} for what the guest prints, {progress} while it loads, and {ended} when the machine is off.
"use strict";
importScripts("ring.js");

const MEGABYTES = 128;
const KERNEL_AT = 0x100000, INITRD_AT = 0x2000000;
const HOLD = 4;			// milliseconds that output is held back, to be sent together
const FULL = 4096;		// bytes that are sent at once
const REFRESH = 100;		// milliseconds between two looks at the call sites
const PACE = 5;			// milliseconds that the guest's clock may be ahead
const NOP = [0x0f, 0x1f, 0x44, 0x00, 0x00], CALL = 0xe8, INT3 = 0xcc;
const GZIP = [0x1f, 0x8b];	// the first bytes of a compressed file

const configuration = ({ cpus, rom }) => `
plugin_ctrl: unmapped=true, biosdev=true, speaker=false, extfpuirq=true, parallel=false, serial=true
display_library: nogui
megs: ${MEGABYTES}
cpu: count=${cpus}, ips=50000000, quantum=32, reset_on_triple_fault=0, ignore_bad_msrs=1, model=core2_penryn_t9600
romimage: file=bios
vgaromimage: file=vgabios
optromimage1: file=loader, address=0x${rom.toString(16)}
optramimage1: file=kernel, address=0x${KERNEL_AT.toString(16)}
optramimage2: file=initrd, address=0x${INITRD_AT.toString(16)}
ata0: enabled=0
ata1: enabled=0
boot: floppy
com1: enabled=1, mode=term, dev=/dev/line0
com2: enabled=1, mode=term, dev=/dev/line1
log: /dev/null
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
`;

// The bytes of a file that is stored compressed, so that they are few over any server. Some servers say so in a header, and the browser has
// unpacked them already.
async function unpack(name) {
	const answer = await fetch(`${name}.gz`);
	if (!answer.ok)
		throw new Error(`${name}.gz: ${answer.status}`);
	let bytes = new Uint8Array(await answer.arrayBuffer());
	if (GZIP.every((byte, i) => bytes[i] === byte))
		bytes = new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
	postMessage({ progress: name });
	return bytes;
}

// A serial line as a character device of the emulator's file system.
class Line {
	constructor(number, ring) {
		this.number = number;
		this.ring = ring;
		this.held = new Uint8Array(FULL);
		this.count = 0;
		this.since = 0;
	}

	flush() {
		if (this.count) {
			postMessage({ line: this.number, bytes: this.held.slice(0, this.count) });
			this.count = 0;
		}
	}

	// Sends what has waited long enough.
	look(now) {
		if (this.count && now - this.since > HOLD)
			this.flush();
	}

	write(bytes) {
		for (const byte of bytes) {
			if (!this.count)
				this.since = performance.now();
			this.held[this.count++] = byte;
			if (this.count === FULL)
				this.flush();
		}
		this.look(performance.now());
	}

	register() {
		const device = FS.makedev(64, this.number);
		FS.registerDevice(device, {
			open: stream => { stream.seekable = false; },
			close: () => {},
			read: (stream, buffer, offset, length) => this.ring.read(buffer, offset, length),
			write: (stream, buffer, offset, length) => {
				this.write(buffer.subarray(offset, offset + length));
				return length;
			},
			poll: () => {
				machine.look();
				return (this.ring.waiting() ? 1 : 0) | 4;
			},
		});
		FS.mkdev(`/dev/line${this.number}`, device);
	}
}

const machine = {
	// What happens now and then, while the emulator runs.
	look() {
		const now = performance.now();
		for (const line of this.lines)
			line.look(now);
		if (now - this.looked > REFRESH) {
			this.looked = now;
			this.look_at_sites();
		}
	},

	// The kind of the instruction at each call site, in the memory of the guest.
	look_at_sites() {
		const memory = Module._bx_guest_memory();
		this.offsets.forEach((offset, index) => {
			const at = memory + offset, first = HEAPU8[at];
			let kind = 3;
			if (first === CALL)
				kind = 1;
			else if (first === INT3)
				kind = 2;
			else if (NOP.every((byte, i) => HEAPU8[at + i] === byte))
				kind = 0;
			this.sites[index] = kind;
		});
	},

	// All CPUs are halted. Until the first prompt waiting is skipped; then the guest's clock goes with the page's. Input ends a wait.
	idle(microseconds) {
		const now = performance.now(), guest = microseconds / 1000;
		const ahead = guest - (now - this.begin);
		if (!shared.paced() || ahead < 0)
			this.begin = now - guest;
		else if (ahead > PACE) {
			for (const line of this.lines)
				line.flush();
			shared.wait(ahead);
		}
	},
};

let shared;

onmessage = async ({ data }) => {
	try {
		shared = new SharedLines(data.lines);
		machine.lines = [0, 1].map(number => new Line(number, shared.rings[number]));
		machine.begin = machine.looked = 0;
		machine.offsets = data.offsets;
		machine.sites = new Uint8Array(data.sites);
		const names = ["bochs.wasm", "bios", "vgabios", "loader", "kernel", "initrd"];
		const [wasm, ...files] = await Promise.all(names.map(unpack));
		const config = new TextEncoder().encode(configuration(data));
		self.Module = {
			arguments: ["-q", "-f", "bochsrc"],
			wasmBinary: wasm,
			print: () => {},
			printErr: () => {},
			idle: microseconds => machine.idle(microseconds),
			preRun: [() => {
				names.slice(1).forEach((name, index) => FS.writeFile(name, files[index]));
				FS.writeFile("bochsrc", config);
				for (const line of machine.lines)
					line.register();
			}],
			onExit: () => {
				for (const line of machine.lines)
					line.flush();
				postMessage({ ended: true });
			},
			onAbort: why => postMessage({ failed: String(why) }),
		};
		importScripts("bochs.js");
	} catch (error) {
		postMessage({ failed: error.message });
	}
};
