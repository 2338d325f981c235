// The page: wires the terminal, the machine, the picture of its call sites and the transcripts together.
import { Terminal } from "./xterm.mjs";
import { Machine } from "./machine.js";
import { Channel } from "./channel.js";
import { SiteMap } from "./map.js";
import { Transcripts } from "./transcripts.js";
import { traceDat } from "./trace_dat.js";

const VERIFY = "/sys/kernel/debug/ftrace_verify", ENABLED = "/sys/kernel/tracing/enabled_functions";
const FIRST_TRACE = "README.md";	// its first block
const COLUMNS = 80, ROWS = 24;
const QUIET = 400;			// milliseconds at the prompt after which the page asks the kernel
const REFRESH = 150;			// milliseconds between two pictures

const get = id => document.getElementById(id);
const json = async name => (await fetch(name)).json();

// xterm has no colours of its own for a page that may be light or dark.
function theme() {
	const style = getComputedStyle(document.body);
	return { background: style.getPropertyValue("--screen").trim(), foreground: style.getPropertyValue("--text").trim(),
		cursor: style.getPropertyValue("--call").trim() };
}

class Console {
	constructor(place, machine) {
		this.place = place;
		this.machine = machine;
		this.terminal = new Terminal({ cols: COLUMNS, rows: ROWS, scrollback: 5000, theme: theme(), fontFamily: "monospace", fontSize: 14, lineHeight: 1.2 });
		this.terminal.open(place);
		this.terminal.onData(text => machine.type(text));
		this.terminal.attachCustomKeyEventHandler(event => this.leave(event));
		machine.addEventListener("output", ({ detail }) => this.terminal.write(detail));
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.terminal.options.theme = theme(); });
		new ResizeObserver(() => this.fit()).observe(place);
	}

	// The terminal takes all keys of a running machine, Tab too. Ctrl-] goes on to what follows it in the page.
	leave(event) {
		if (event.key === "Tab" && !this.machine.lines)
			return false;
		if (!event.ctrlKey || event.key !== "]")
			return true;
		get("open").focus();
		return false;
	}

	// Lines of the kernel have 80 columns and more. The letters become smaller on a small screen, but not too small to read.
	fit() {
		const size = Math.min(14, Math.max(8, Math.floor(this.place.clientWidth / COLUMNS / .61 * 2) / 2));
		if (this.terminal.options.fontSize !== size)
			this.terminal.options.fontSize = size;
	}
}

class Page {
	constructor(image, functions, chapters) {
		this.machine = new Machine(image);
		this.channel = new Channel(this.machine);
		this.console = new Console(get("terminal"), this.machine);
		this.map = new SiteMap(get("map"), get("pointed"), functions);
		this.transcripts = new Transcripts(chapters, { chapter: get("chapter"), read: get("read"), blocks: get("blocks") }, steps => this.type(steps));
		const chapter = () => this.transcripts.show(location.hash.slice(1) || FIRST_TRACE);
		addEventListener("hashchange", chapter);
		chapter();
		this.listen(chapters);
	}

	listen(chapters) {
		const { machine } = this;
		get("controls").addEventListener("submit", event => {
			event.preventDefault();
			this.boot();
		});
		get("first").addEventListener("click", () => {
			this.type(chapters.find(({ file }) => file === FIRST_TRACE).blocks[0].steps);
		});
		get("verify").addEventListener("click", () => this.verify());
		get("take").addEventListener("click", () => this.take());
		get("open").addEventListener("change", () => this.open());
		get("enabled").addEventListener("toggle", () => this.list());
		machine.addEventListener("state", ({ detail }) => this.state(detail));
		machine.addEventListener("prompt", () => this.prompt());
		machine.addEventListener("output", ({ detail }) => this.heard(detail));
		this.map.draw(new Uint8Array(this.map.functions.length));
		setInterval(() => this.draw(), REFRESH);
	}

	boot() {
		this.console.terminal.reset();
		this.machine.boot(Number(get("cpus").value));
		this.console.terminal.focus();
	}

	state(text) {
		if (text === "loading") {
			this.started = performance.now();
			this.running = false;
		}
		get("state").textContent = text;
		get("boot").textContent = this.machine.lines ? "Boot again" : "Boot";
		for (const id of ["verify", "take"])
			get(id).disabled = true;
		if (!this.machine.lines)
			get("count").textContent = "The machine is off.";
	}

	prompt() {
		if (!this.running) {
			this.running = true;
			this.state(`running, ${((performance.now() - this.started) / 1000).toFixed(1)} s from power-on to the prompt`);
			for (const id of ["verify", "take"])
				get(id).disabled = false;
		}
		clearTimeout(this.asking);
		this.asking = setTimeout(() => this.ask(), QUIET);
	}

	// While no function is traced, to ask costs nothing that a trace could show.
	ask() {
		if (this.machine.directory === null)
			return;
		if (this.machine.sites.every(kind => kind === 0))
			this.machine.busy = this.verify();
		this.list();
	}

	async type(steps) {
		if (!this.machine.lines)
			this.boot();
		for (const [directory, command] of steps)
			this.machine.command(directory, command);
	}

	draw() {
		const { sites } = this.machine;
		if (!this.machine.lines || !this.running || document.hidden)
			return;
		const [nops, calls, traps, others] = this.map.draw(sites);
		get("count").textContent = `${sites.length} call sites: ${calls} calls, ${traps} breakpoints, ${others} others, ${nops} nops`;
	}

	// What the kernel says of its own call sites: it compares the bytes of each with what its record says.
	async verify() {
		await this.show(get("verified"), `cat ${VERIFY}`);
	}

	async list() {
		if (get("enabled").open && this.running)
			await this.show(get("enabled").querySelector("pre"), `cat ${ENABLED}`);
	}

	async show(place, command) {
		try {
			place.textContent = await this.channel.run(command) || "(nothing)";
		} catch (error) {
			place.textContent = error.message;
		}
	}

	// Also when it was typed at the prompt.
	heard(bytes) {
		const said = new TextDecoder().decode(bytes).match(/\d+ sites, \d+ mismatches/);
		if (said)
			get("verified").textContent = said[0];
	}

	// Empties the ring buffer.
	take() {
		return this.attempt(async () => {
			const trace = await this.channel.trace(count => { get("taking").textContent = `${count} pieces have arrived`; });
			await this.look(traceDat(trace), "trace.dat");
		});
	}

	// The same file may be chosen again. Nothing is chosen if the dialog was closed.
	open() {
		const [file] = get("open").files;
		if (file)
			return this.attempt(async () => this.look(new Uint8Array(await file.arrayBuffer()), file.name))
				.finally(() => { get("open").value = ""; });
	}

	// Says why a trace cannot be shown.
	async attempt(work) {
		try {
			await work();
			get("taking").textContent = "";
		} catch (error) {
			get("taking").textContent = error.message;
		}
	}

	// Shows a trace.dat as a page, with links to keep both.
	async look(bytes, title) {
		const place = get("trace"), worker = new Worker("convert.js"), { functions } = this.map, { offsets } = this.machine.image;
		const { page, said, failed } = await new Promise(resolve => {
			worker.onmessage = ({ data }) => resolve(data);
			worker.onerror = event => resolve({ failed: event.message });
			worker.postMessage({ bytes, title, functions, offsets });
		});
		worker.terminate();
		if (failed)
			throw new Error(`${title}: ${failed}`);
		this.addresses?.forEach(URL.revokeObjectURL);
		this.addresses = [new Blob([bytes]), new Blob([page], { type: "text/html" })].map(blob => URL.createObjectURL(blob));
		[get("save").href, get("whole").href] = this.addresses;
		get("save").download = title;
		get("events").textContent = said;
		place.hidden = false;
		place.querySelector("iframe").src = this.addresses[1];
		place.scrollIntoView({ block: "nearest" });
	}
}

async function main() {
	if (!globalThis.crossOriginIsolated) {
		get("state").textContent = isSecureContext ? "waiting for the service worker" : "this page needs https, or localhost";
		return;
	}
	const [image, functions, chapters] = await Promise.all(["image.json", "functions.json", "transcripts.json"].map(json));
	globalThis.nop5 = new Page(image, functions, chapters);
}

main();
