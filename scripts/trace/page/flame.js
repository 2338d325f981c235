// The flame graph: all calls with the same callers are one bar, as wide as their time or their number. The root is at the top.
"use strict";

class Flame {
	constructor(trace, box, page) {
		this.trace = trace;
		this.page = page;
		this.box = box;
		this.view = new View(box, (g, dark) => this.draw(g, dark));
		box.onscroll = () => this.view.draw();
		box.onkeydown = event => this.key(event);
		this.view.canvas.onclick = event => this.click(event);
		this.view.canvas.onmousemove = event => {
			const bar = this.barAt(event);
			this.view.canvas.title = bar ? `${bar.node.name}: ${this.amount(bar.node.value)}, ${this.share(bar.node)}` : "";
		};
		this.choose(-1);
	}

	// Shows one task, or all with -1.
	choose(task) {
		this.root = foldStacks(this.trace, task);
		this.path = [this.root];
		this.view.draw();
	}

	amount(value) {
		return this.root.byTime ? showTime(value) : value + " calls";
	}

	share(node) {
		return (100 * node.value / (this.root.value || 1)).toFixed(1) + " %";
	}

	draw(g, dark) {
		this.bars = [];
		let deepest = 0;
		const top = this.box.scrollTop;
		const put = (node, x, width, line, path) => {
			deepest = Math.max(deepest, line);
			const y = line * BAR - top;
			if (y > -BAR && y < this.view.height) {
				const chosen = this.page.selected >= 0 && isFunction(this.trace, this.page.selected) &&
					node.symbol === this.trace.symbol[this.page.selected];
				const text = line ? node.name : `${node.name}: ${this.amount(node.value)}`;
				this.view.bar(g, x, y, width, node.symbol < 0 ? "#8884" : colourOf(node.symbol, dark), text, chosen);
				this.bars.push({ node, x, y, width, path });
			}
			return path;
		};
		this.path.slice(0, -1).forEach((node, i) => put(node, 0, this.view.width, i, this.path.slice(0, i + 1)));
		const spread = (node, x, width, line, path) => {
			put(node, x, width, line, path);
			const children = [...node.children.values()].sort((a, b) => b.value - a.value);
			for (const child of children) {
				const part = width * child.value / (node.value || 1);
				if (part < 0.7)
					break;
				spread(child, x, part, line + 1, [...path, child]);
				x += part;
			}
		};
		spread(this.path.at(-1), 0, this.view.width, this.path.length - 1, this.path);
		this.box.querySelector(".space").style.height = (deepest + 2) * BAR + "px";
	}

	barAt(event) {
		return this.bars?.find(({ x, y, width }) => event.offsetX >= x && event.offsetX < x + Math.max(width, 1) &&
			event.offsetY >= y && event.offsetY < y + BAR);
	}

	click(event) {
		const bar = this.barAt(event);
		if (bar)
			this.go(bar.path);
	}

	// Down and up lead to the widest callee and to the caller, left and right to the callees of the same caller.
	key(event) {
		const children = node => [...node.children.values()].sort((a, b) => b.value - a.value);
		const node = this.path.at(-1), outside = this.path.slice(0, -1), beside = outside.length ? children(outside.at(-1)) : [node];
		const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], [widest] = children(node);
		let path = null;
		if (event.key === "ArrowDown" && widest)
			path = [...this.path, widest];
		else if (event.key === "ArrowUp" && outside.length)
			path = outside;
		else if (event.key === "Home")
			path = [this.root];
		else if (step && beside[beside.indexOf(node) + step])
			path = [...outside, beside[beside.indexOf(node) + step]];
		if (!path)
			return;
		event.preventDefault();
		this.go(path);
	}

	// Makes the last bar of the path as wide as the view.
	go(path) {
		const node = path.at(-1);
		this.path = path;
		this.box.scrollTop = 0;
		this.view.draw();
		if (this.trace.functions.has(node.symbol))
			this.page.select(this.trace.functions.get(node.symbol).slowest);
	}
}
