// The machine as the page sees it: switched on and off, two serial lines, and whether the shell is at its prompt.

const CONSOLE = 0;
// As scripts/boot finds it. The shell asks the terminal for the position of the cursor, and erases the line behind it. Messages of the
// kernel may follow.
const MESSAGES = "(?:\\[ *\\d+\\.\\d{6}\\] [^\\n]*(?:\\n|$))*$";
const PROMPT = new RegExp("(?:^|[\\n\\r])nop5:(\\S*)# (?:\\x1b\\[(?:6n|J))*" + MESSAGES);
const ASKED = new RegExp("\\x1b\\[6n" + MESSAGES);	// the shell waits for the terminal
const REBOOT = /reboot: Restarting system/;
const POSITION = /^\x1b\[\d+;\d+R$/;	// the terminal's answer
const KEPT = 4000;	// characters of output that are looked at for the prompt

export class Machine extends EventTarget {
	constructor(image) {
		super();
		this.image = image;	// image.json: where the loader and the call sites are
		this.off();
	}

	off() {
		this.worker?.terminate();
		this.worker = this.lines = null;
		this.directory = null;	// that of the prompt; null while a command runs
		this.text = "";
		this.queue = this.busy = Promise.resolve();	// busy: what must end before the next command is typed
	}

	boot(cpus) {
		this.off();
		this.cpus = cpus;
		this.lines = new SharedLines();
		const sites = new SharedArrayBuffer(this.image.offsets.length);
		this.sites = new Uint8Array(sites);
		this.worker = new Worker("worker.js");
		this.worker.onmessage = ({ data }) => this.hear(data);
		this.worker.onerror = event => this.hear({ failed: event.message });
		this.worker.postMessage({ cpus, rom: this.image.rom, offsets: this.image.offsets, lines: this.lines.buffer, sites });
		this.say("state", "loading");
	}

	say(type, detail) {
		this.dispatchEvent(new CustomEvent(type, { detail }));
	}

	hear(message) {
		if (message.line === CONSOLE)
			this.print(message.bytes);
		else if (message.line !== undefined)
			this.say("line", message.bytes);
		else if (message.progress)
			this.say("state", `loaded ${message.progress}`);
		else if (message.failed) {
			this.off();
			this.say("state", `failed: ${message.failed}`);
		} else if (message.ended) {
			const again = REBOOT.test(this.text);
			this.off();
			this.say("state", "off");
			if (again)
				this.boot(this.cpus);
		}
	}

	print(bytes) {
		this.say("output", bytes);
		this.text = (this.text + new TextDecoder("latin1").decode(bytes)).slice(-KEPT);
		if (!ASKED.test(this.text))
			this.look();
	}

	look() {
		const match = this.text.match(PROMPT);
		if (match && this.directory === null) {
			this.lines.pace();
			this.directory = match[1];
			this.say("prompt", this.directory);
		}
	}

	// What a person types, or the terminal answers.
	type(text) {
		if (!this.lines)
			return;
		if (text.includes("\r") || text.includes("\n")) {
			this.directory = null;
			this.text = "";
		}
		this.send(CONSOLE, new TextEncoder().encode(text));
		if (POSITION.test(text))
			this.look();
	}

	// The line takes what there is room for; the rest follows later.
	send(line, bytes) {
		const lines = this.lines, sent = lines.write(line, bytes);
		if (sent < bytes.length)
			setTimeout(() => this.lines === lines && this.send(line, bytes.subarray(sent)), 5);
	}

	prompt() {
		return this.directory !== null ? Promise.resolve(this.directory)
			: new Promise(resolve => this.addEventListener("prompt", () => resolve(this.directory), { once: true }));
	}

	// Types a command at the prompt of a directory, when those before have ended. Resolves at the prompt behind it.
	command(directory, command) {
		const lines = this.lines;
		this.queue = this.queue.then(async () => {
			const there = await this.prompt();
			await this.busy;
			for (const text of [there !== directory && `cd ${directory}`, command]) {
				if (text && this.lines === lines) {
					this.type(text + "\r");
					await this.prompt();
				}
			}
		});
		return this.queue;
	}
}
