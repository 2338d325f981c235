// What the page types into the serial lines of the machine: a ring of bytes for each line, in memory that the page and the worker
// share. Only the page moves `written`, only the worker moves `taken`.
"use strict";

const RING = 4096, LINES = 2;

class Ring {
	constructor(buffer, number) {
		this.control = new Int32Array(buffer, 8 + number * 8, 2);
		this.data = new Uint8Array(buffer, 8 + LINES * 8 + number * RING, RING);
	}

	waiting() {
		return Atomics.load(this.control, 0) - Atomics.load(this.control, 1);
	}

	// Takes up to `length` bytes. The page: writes as many of `bytes` as there is room for, and returns their number.
	read(buffer, offset, length) {
		const taken = Atomics.load(this.control, 1), count = Math.min(length, this.waiting());
		for (let i = 0; i < count; i++)
			buffer[offset + i] = this.data[(taken + i) % RING];
		Atomics.store(this.control, 1, taken + count);
		return count;
	}

	write(bytes) {
		const written = Atomics.load(this.control, 0), count = Math.min(bytes.length, RING - this.waiting());
		for (let i = 0; i < count; i++)
			this.data[(written + i) % RING] = bytes[i];
		Atomics.store(this.control, 0, written + count);
		return count;
	}
}

class SharedLines {
	constructor(buffer = new SharedArrayBuffer(8 + LINES * (8 + RING))) {
		this.buffer = buffer;
		this.control = new Int32Array(buffer, 0, 2);	// a count of writes, for waiting; 1: the guest's clock is the page's
		this.rings = [0, 1].map(number => new Ring(buffer, number));
	}

	paced() {
		return Atomics.load(this.control, 1) === 1;
	}

	pace() {
		Atomics.store(this.control, 1, 1);
	}

	// The worker sleeps until the page writes, for so many milliseconds at most.
	wait(milliseconds) {
		const seen = Atomics.load(this.control, 0);
		if (!this.rings.some(ring => ring.waiting()))
			Atomics.wait(this.control, 0, seen, milliseconds);
	}

	// The page.
	write(number, bytes) {
		const count = this.rings[number].write(bytes);
		Atomics.add(this.control, 0, 1);
		Atomics.notify(this.control, 0);
		return count;
	}
}
