// A worker that makes a page of a trace.dat, as `scripts/trace-convert -f html` does, whose program runs here as WebAssembly. It gets
// {bytes, title, functions: [[name, source line]], offsets}, and sends {page} or {failed}. `said` is what the program says of damages.
"use strict";

const CALL = 0, FUNCTION = 4, STACK = 5;	// rows of scripts/trace/out_rows.c that have symbols
const OFFSET = 0x7fffffff;			// the kernel is linked at the last 2 GB

// Numbers the symbols that the rows use from 0 on, and drops the others. Return addresses are dropped, too: the page knows lines of functions only.
function keepUsedSymbols(trace) {
	const numbers = new Map(), number = symbol => {
		if (!numbers.has(symbol))
			numbers.set(symbol, numbers.size);
		return numbers.get(symbol);
	};
	for (const row of trace.rows) {
		if (row[0] === CALL) {
			row[4] = number(row[4]);
			row[5] = 0;
		} else if (row[0] === FUNCTION) {
			row[4] = number(row[4]);
			row[5] = number(row[5]);
			row[6] = 0;
		} else if (row[0] === STACK)
			row[4] = row[4].map(number);
	}
	trace.symbols = [...numbers.keys()].map(symbol => trace.symbols[symbol]);
}

// The lines of the functions, if the trace is one of the kernel of this page. `modules` has those of its modules: {module: {name: line}}.
function addSources(trace, { functions, offsets }, modules) {
	const lines = new Map(functions.map(([name, line], index) => [`${name} ${offsets[index]}`, line]));
	const where = trace.symbols.map(([name, start, module]) => module ? modules[module]?.[name] ?? ""
		: lines.get(`${name} ${Number(BigInt(`0x${start}`) & BigInt(OFFSET))}`) ?? "");
	const names = new Set(functions.map(([name]) => name));
	const same = trace.symbols.every(([name, , module], index) => module || where[index] || !names.has(name));
	trace.where = same ? where : where.map(() => "");
	trace.places = [""];
	trace.symbols = trace.symbols.map(([name]) => name);
	trace.book = "../book/";
}

function page(template, trace, title) {
	const DATA = JSON.stringify(trace).replaceAll("<", "\\u003c"), TITLE = title.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
	return template.replace(/@(TITLE|DATA)@/g, (_, name) => ({ TITLE, DATA })[name]);
}

onmessage = async ({ data }) => {
	const said = [], template = await (await fetch("trace.html")).text(), modules = await (await fetch("modules.json")).json();
	self.Module = {
		wasmBinary: await (await fetch("trace-convert.wasm")).arrayBuffer(),
		arguments: ["/trace.dat", "-f", "rows", "-o", "/rows"],
		printErr: text => said.push(text),
		preRun: [() => FS.writeFile("/trace.dat", data.bytes)],
		onExit: status => {
			if (status > 1)
				return postMessage({ failed: said.join("\n") });
			const trace = JSON.parse(FS.readFile("/rows", { encoding: "utf8" }));
			keepUsedSymbols(trace);
			addSources(trace, data, modules);
			postMessage({ page: page(template, trace, data.title), said: said.join("\n") });
		},
		onAbort: why => postMessage({ failed: String(why) }),
	};
	importScripts("trace-convert.js");
};
