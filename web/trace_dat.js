// Writes a trace as trace.dat, version 6 (trace-cmd.dat.v6(5)), as scripts/trace_dat.py does.

const OPTION = { CPUSTAT: 2, TRACECLOCK: 4, UNAME: 5, CPUCOUNT: 8 };
// The linker script's names for the ends of sections. A reader may choose any name of an address; the kernel chooses the function's.
const SECTION_MARK = /^(?:__\w+_(?:start|end|begin)|_[se]text)$/;

const bytes = (...values) => Uint8Array.from(values);
const encode = text => new TextEncoder().encode(text);

function join(...parts) {
	const flat = parts.flat(Infinity), all = new Uint8Array(flat.reduce((size, part) => size + part.length, 0));
	let at = 0;
	for (const part of flat) {
		all.set(part, at);
		at += part.length;
	}
	return all;
}

function number(value, bytes) {
	const out = new Uint8Array(bytes), view = new DataView(out.buffer);
	if (bytes === 8)
		view.setBigUint64(0, BigInt(value), true);
	else if (bytes === 4)
		view.setUint32(0, value, true);
	else
		view.setUint16(0, value, true);
	return out;
}

const sized = (data, bytes = 8) => [number(data.length, bytes), data];
const option = (kind, data) => [number(kind, 2), number(data.length, 4), data];

function functions(kallsyms) {
	const lines = kallsyms.split("\n").filter(Boolean).map(line => line.split(/\s+/));
	const named = new Set(lines.filter(words => !SECTION_MARK.test(words[2])).map(words => words[0]));
	return lines.filter(words => !named.has(words[0]) || !SECTION_MARK.test(words[2]))
		.map(words => words.slice(0, 3).join(" ") + (words[3] ? `\t${words[3]}` : "") + "\n").join("");
}

export function traceDat({ hello, files, pages }) {
	const file = name => join(files[name] ?? []), text = name => new TextDecoder().decode(file(name));
	const pageSize = Number(hello.page_size), cpus = Number(hello.cpus), systems = new Map();
	for (const name of Object.keys(files)) {
		const [, system] = name.match(/^events\/([^/]+)\/[^/]+\/format$/) ?? [];
		if (system)
			systems.set(system, [...systems.get(system) ?? [], file(name)]);
	}
	const ours = systems.get("ftrace") ?? [];
	systems.delete("ftrace");
	const clock = join(encode(text("trace_clock").trim()), bytes(0));
	const head = join(
		bytes(0x17, 0x08, 0x44), encode("tracing6\0"), bytes(0, 8), number(pageSize, 4),
		encode("header_page\0"), sized(file("events/header_page")), encode("header_event\0"), sized(file("events/header_event")),
		number(ours.length, 4), ours.map(data => sized(data)), number(systems.size, 4),
		[...systems].map(([system, formats]) => [encode(`${system}\0`), number(formats.length, 4), formats.map(data => sized(data))]),
		sized(encode(functions(text("proc/kallsyms"))), 4), sized(file("printk_formats"), 4), sized(file("saved_cmdlines")), number(cpus, 4),
		encode("options  \0"), option(OPTION.TRACECLOCK, clock), option(OPTION.UNAME, encode(`${hello.uname ?? "nop5"}\0`)),
		option(OPTION.CPUCOUNT, number(cpus, 4)),
		Array.from({ length: cpus }, (_, cpu) => files[`per_cpu/cpu${cpu}/stats`]
			? option(OPTION.CPUSTAT, join(encode(`CPU: ${cpu}\n`), file(`per_cpu/cpu${cpu}/stats`), bytes(0))) : []),
		number(0, 2), encode("flyrecord\0"));
	const data = Array.from({ length: cpus }, (_, cpu) => join(pages[cpu] ?? [])), start = head.length + 16 * cpus;
	let offset = Math.ceil(start / pageSize) * pageSize;
	const padding = new Uint8Array(offset - start), table = data.map(bytes => {
		const entry = [number(offset, 8), number(bytes.length, 8)];
		offset += bytes.length;
		return entry;
	});
	return join(head, table, padding, data);
}
