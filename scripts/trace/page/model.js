// The trace as arrays. The data is what scripts/trace/out_rows.c writes, with addresses replaced by lines of sources.
"use strict";

const CALL = 0, EVENT = 3, FUNCTION = 4, STACK = 5, LOST = 6;

// An item is a call, an event or a call that the function tracer has recorded. The items of a task are numbers in a row, each
// before the items inside it: the items inside i are i + 1 to i + size[i]. Times are nanoseconds since the first event.
function loadTrace(data) {
	const rows = data.rows, tasks = data.tasks.map(name => ({ name, count: 0, first: 0, depth: 0 }));
	let count = 0, last = 0;
	for (const row of rows)
		if (isItem(row, tasks[row[2]])) {
			tasks[row[2]].count++;
			count++;
		}
	const t = {
		count, tasks, symbols: data.symbols, where: data.where, places: data.places, cpus: [], lost: [], names: [],
		kind: new Uint8Array(count), task: new Uint32Array(count), cpu: new Uint16Array(count),
		start: new Float64Array(count), end: new Float64Array(count), duration: new Float64Array(count),
		self: new Float64Array(count), symbol: new Int32Array(count), parent: new Int32Array(count).fill(-1),
		size: new Uint32Array(count), depth: new Uint16Array(count), caller: new Int32Array(count),
		open: new Uint8Array(count), whole: new Uint8Array(count), text: new Map(), stacks: new Map(),
	};
	for (let cpu = 0; cpu < data.cpus; cpu++)
		t.cpus.push({ start: [], end: [], task: [] });
	let first = 0;
	for (const task of tasks) {
		task.first = task.next = first;
		task.stack = [];
		first += task.count;
	}
	const eventNames = new Map();
	for (const row of rows) {
		const [kind, time, number, cpu] = row;
		last = Math.max(last, time);
		if (kind === LOST) {
			t.lost.push({ time, cpu: number, count: cpu });
			continue;
		}
		const task = tasks[number];
		if (kind !== 2)
			occupy(t.cpus[cpu], number, time);
		if (kind === 1 || kind === 2) {
			leave(t, task, row);
			continue;
		}
		if (kind === STACK && !row.alone) {
			t.stacks.set(task.next - 1, row[4]);
			continue;
		}
		const id = task.next++;
		t.kind[id] = kind === STACK ? EVENT : kind;
		t.task[id] = number;
		t.cpu[id] = cpu;
		t.start[id] = t.end[id] = time;
		t.depth[id] = task.stack.length;
		task.depth = Math.max(task.depth, task.stack.length);
		if (task.stack.length)
			t.parent[id] = task.stack[task.stack.length - 1];
		if (kind === EVENT || kind === STACK) {
			const [name, text] = kind === EVENT ? row.slice(4) : ["stack", ""];
			if (!eventNames.has(name)) {
				eventNames.set(name, t.names.length);
				t.names.push(name);
			}
			t.symbol[id] = eventNames.get(name);
			t.text.set(id, text);
			if (kind === STACK)
				t.stacks.set(id, row[4]);
		} else {
			t.symbol[id] = row[4];
			t.caller[id] = row[kind === CALL ? 5 : 6];
		}
		if (kind === FUNCTION)
			t.stacks.set(id, [row[5], row[4]]);
		if (kind === CALL)
			task.stack.push(id);
	}
	t.last = Math.max(last, 1);
	t.functions = countFunctions(t);
	return t;
}

// True if the row becomes an item. A stack belongs to the event or to the function in front of it; a stack without one, such as that of
// a trigger, is an event of its own.
function isItem(row, task) {
	const kind = row[0];
	if (kind === STACK)
		row.alone = !task.wantsStack;
	if (kind !== LOST)
		task.wantsStack = kind === EVENT || kind === FUNCTION;
	return kind === CALL || kind === EVENT || kind === FUNCTION || kind === STACK && row.alone;
}

// Notes that the task was on the CPU at this time.
function occupy(cpu, task, time) {
	const n = cpu.task.length - 1;
	if (n >= 0 && cpu.task[n] === task) {
		cpu.end[n] = time;
		return;
	}
	cpu.start.push(time);
	cpu.end.push(time);
	cpu.task.push(task);
}

// The task's innermost call ends.
function leave(t, task, row) {
	const id = task.stack.pop(), whole = row[0] === 1;
	t.end[id] = row[1];
	t.duration[id] = whole ? row[4] : row[3];
	t.self[id] += t.duration[id];
	t.whole[id] = whole;
	t.size[id] = task.next - id - 1;
	if (whole && row[5])
		t.text.set(id, row[5]);
	if (task.stack.length)
		t.self[task.stack[task.stack.length - 1]] -= t.duration[id];
}

// {symbol: {count, total, self, slowest, ids}}. A call inside a call of the same function counts once in the total.
function countFunctions(t) {
	const functions = new Map();
	for (let id = 0; id < t.count; id++) {
		if (t.kind[id] === EVENT)
			continue;
		let f = functions.get(t.symbol[id]);
		if (!f)
			functions.set(t.symbol[id], f = { symbol: t.symbol[id], count: 0, total: 0, self: 0, slowest: id, ids: [] });
		f.count++;
		f.ids.push(id);
		if (t.kind[id] === FUNCTION)
			continue;
		f.self += Math.max(t.self[id], 0);
		if (t.duration[id] > t.duration[f.slowest])
			f.slowest = id;
		let outer = t.parent[id];
		while (outer >= 0 && t.symbol[outer] !== t.symbol[id])
			outer = t.parent[outer];
		if (outer < 0)
			f.total += t.duration[id];
	}
	return functions;
}

const isFunction = (t, id) => t.kind[id] !== EVENT;
const nameOf = (t, id) => isFunction(t, id) ? t.symbols[t.symbol[id]] : t.names[t.symbol[id]];

// The stacks of all calls, or those of one task, as a tree: {name, symbol, value, children}. The value is nanoseconds, or the
// number of calls if the trace has no returns.
function foldStacks(t, only) {
	const byTime = t.kind.includes(CALL);
	const root = { name: "all", symbol: -1, value: 0, children: new Map(), byTime };
	const child = (node, key, name, symbol) => {
		if (!node.children.has(key))
			node.children.set(key, { name, symbol, value: 0, children: new Map() });
		return node.children.get(key);
	};
	const nodes = [];
	for (let id = 0; id < t.count; id++) {
		if (only >= 0 && t.task[id] !== only || !isFunction(t, id) || byTime !== (t.kind[id] === CALL))
			continue;
		const name = t.tasks[t.task[id]].name.replace(/-\d+$/, "");
		const top = child(root, name, name, -1);
		if (!byTime) {
			let node = top;
			root.value++;
			node.value++;
			for (const symbol of t.stacks.get(id)) {
				node = child(node, symbol, t.symbols[symbol], symbol);
				node.value++;
			}
			continue;
		}
		const outer = t.parent[id];
		nodes[t.depth[id]] = child(outer < 0 ? top : nodes[t.depth[id] - 1], t.symbol[id], nameOf(t, id), t.symbol[id]);
		nodes[t.depth[id]].value += t.duration[id];
		if (outer < 0) {
			top.value += t.duration[id];
			root.value += t.duration[id];
		}
	}
	return root;
}

// The ids whose function, event name or text contains the words, in the order of the tree.
function searchTrace(t, words) {
	const text = words.trim().toLowerCase(), found = [];
	if (!text)
		return found;
	const symbols = new Set(), names = new Set();
	for (const symbol of t.functions.keys())
		if (t.symbols[symbol].toLowerCase().includes(text))
			symbols.add(symbol);
	t.names.forEach((name, i) => name.toLowerCase().includes(text) && names.add(i));
	for (let id = 0; id < t.count; id++)
		if ((isFunction(t, id) ? symbols : names).has(t.symbol[id]) || t.text.get(id)?.toLowerCase().includes(text))
			found.push(id);
	return found;
}

// The bars of a histogram of durations, four for each power of two: [{from, to, ids}], without empty ones at the ends.
function histogram(t, ids) {
	const bars = [];
	for (const id of ids) {
		const at = Math.max(0, Math.floor(4 * Math.log2(Math.max(t.duration[id], 1))));
		(bars[at] ??= []).push(id);
	}
	const list = [];
	let from = bars.findIndex(bar => bar);
	for (; from >= 0 && from < bars.length; from++)
		list.push({ from: 2 ** (from / 4), to: 2 ** ((from + 1) / 4), ids: bars[from] ?? [] });
	return list;
}

// A time for people: "1.234 us", "2.500 ms".
function showTime(ns) {
	const [unit, factor] = ns < 1e6 ? ["us", 1e3] : ns < 1e9 ? ["ms", 1e6] : ["s", 1e9];
	return (ns / factor).toFixed(3) + " " + unit;
}

if (typeof module !== "undefined")
	module.exports = { loadTrace, foldStacks, searchTrace, histogram, showTime };
