// Lanes over time, on a canvas: which task each CPU runs, and the calls and events of each task.
"use strict";

const BAR = 16;

// A function has the same colour everywhere.
function colourOf(number, dark) {
	return `hsl(${number * 47 % 360} ${40 + number * 13 % 25}% ${dark ? 30 + number * 7 % 12 : 70 + number * 7 % 12}%)`;
}

// The canvas of a view: it follows the size of its box, and draws once per frame.
class View {
	constructor(box, draw) {
		this.box = box;
		this.canvas = box.querySelector("canvas");
		this.drawNow = draw;
		this.theme = matchMedia("(prefers-color-scheme: dark)");
		this.theme.addEventListener("change", () => this.draw());
		new ResizeObserver(() => this.draw()).observe(box);
	}

	draw() {
		if (this.asked || !this.box.clientWidth)
			return;
		this.asked = true;
		requestAnimationFrame(() => {
			this.asked = false;
			const scale = devicePixelRatio, width = this.box.clientWidth, height = this.box.clientHeight;
			this.width = width;
			this.height = height;
			this.canvas.width = width * scale;
			this.canvas.height = height * scale;
			this.canvas.style.width = width + "px";
			this.canvas.style.height = height + "px";
			const g = this.canvas.getContext("2d"), style = getComputedStyle(document.body);
			g.scale(scale, scale);
			this.text = style.color;
			this.ground = style.backgroundColor;
			g.fillStyle = this.ground;
			g.fillRect(0, 0, width, height);
			g.font = "12px sans-serif";
			g.textBaseline = "middle";
			this.drawNow(g, this.theme.matches);
		});
	}

	// A bar with as much of its name as fits.
	bar(g, x, y, width, colour, name, chosen) {
		g.fillStyle = colour;
		g.fillRect(x, y, Math.max(width - (width > 3 ? 0.5 : 0), 1), BAR - 1);
		if (chosen) {
			g.strokeStyle = this.text;
			g.lineWidth = 2;
			g.strokeRect(x, y, Math.max(width, 2), BAR - 1);
		}
		const left = Math.max(x, 0), room = Math.min(x + width, this.width) - left - 4;
		if (room > 20) {
			g.fillStyle = this.text;
			g.fillText(name.length * 7 > room ? name.slice(0, Math.floor(room / 7)) : name, left + 2, y + BAR / 2);
		}
	}
}

class Lanes {
	constructor(trace, box, page) {
		this.trace = trace;
		this.page = page;
		this.box = box;
		this.from = 0;
		this.to = trace.last;
		this.view = new View(box, (g, dark) => this.draw(g, dark));
		this.layout();
		const canvas = this.view.canvas;
		box.onscroll = () => this.view.draw();
		box.onkeydown = event => this.key(event);
		canvas.onwheel = event => {
			if (!event.ctrlKey && !event.shiftKey)
				return;
			event.preventDefault();
			this.zoom(Math.exp((event.deltaY || event.deltaX) / 300), event.offsetX / this.view.width);
		};
		canvas.onpointerdown = event => {
			this.drag = { x: event.clientX, y: event.clientY, top: box.scrollTop, from: this.from, moved: false };
			canvas.setPointerCapture(event.pointerId);
		};
		canvas.onpointermove = event => this.move(event);
		canvas.onpointerup = event => {
			if (this.drag && !this.drag.moved)
				this.pick(event);
			this.drag = null;
		};
		canvas.onpointercancel = () => this.drag = null;
		canvas.ondblclick = event => {
			const id = this.itemAt(event.offsetX, event.offsetY);
			if (id >= 0)
				this.zoomTo(id);
		};
	}

	// The lanes from top to bottom: CPUs, then tasks, each with its first line and its number of lines.
	layout() {
		let y = 24;
		this.lanes = this.trace.cpus.map((cpu, number) => ({ cpu, name: "CPU " + number, lines: 1 }));
		this.trace.tasks.forEach((task, number) => {
			if (task.count)
				this.lanes.push({ task, number, name: task.name, lines: task.depth + 1 });
		});
		for (const lane of this.lanes) {
			lane.y = y;
			y += BAR * (lane.lines + 1) + 6;
		}
		this.box.querySelector(".space").style.height = y + "px";
	}

	x(time) {
		return (time - this.from) / (this.to - this.from) * this.view.width;
	}

	draw(g, dark) {
		const top = this.box.scrollTop;
		for (const lane of this.lanes) {
			const y = lane.y - top;
			if (y > this.view.height || y + BAR * (lane.lines + 1) < 0)
				continue;
			if (lane.cpu)
				this.drawCpu(g, lane.cpu, y + BAR, dark);
			else
				this.drawTask(g, lane.task, y + BAR, dark);
			g.fillStyle = this.view.text;
			g.fillText(lane.name, 2, y + BAR / 2);
		}
		this.drawLost(g);
		this.drawScale(g);
	}

	drawCpu(g, cpu, y, dark) {
		let at = lowerBound(cpu.end, this.from), drawn = -1;
		for (; at < cpu.task.length && cpu.start[at] <= this.to; at++) {
			const x = this.x(cpu.start[at]), end = this.x(cpu.end[at]);
			if (Math.max(end, x + 1) <= drawn)
				continue;
			const task = this.trace.tasks[cpu.task[at]];
			this.view.bar(g, x, y, end - x, colourOf(cpu.task[at] * 3 + 1, dark), task.name, false);
			drawn = Math.max(end, x + 1);
		}
	}

	drawTask(g, task, y, dark) {
		const t = this.trace, drawn = new Float64Array(task.depth + 2).fill(-1), chosen = this.page.selected;
		for (let id = task.first; id < task.first + task.count && t.start[id] <= this.to;) {
			if (t.end[id] < this.from) {
				id += t.size[id] + 1;
				continue;
			}
			const x = this.x(t.start[id]), width = this.x(t.end[id]) - x, line = t.depth[id];
			if (t.kind[id] !== CALL) {
				if (x >= drawn[line] + 1 || id === chosen)
					this.drawTick(g, x, y + line * BAR, t.kind[id] === EVENT, id === chosen);
				drawn[line] = x;
				id++;
				continue;
			}
			if (width < 1 && x + 1 <= drawn[line] && !this.around(id, chosen)) {
				id += t.size[id] + 1;
				continue;
			}
			this.view.bar(g, x, y + line * BAR, width, colourOf(t.symbol[id], dark), nameOf(t, id), id === chosen);
			drawn[line] = Math.max(x + width, x + 1);
			id += width < 1 && !this.around(id, chosen) ? t.size[id] + 1 : 1;
		}
	}

	// True if the item `inner` is inside item `id`.
	around(id, inner) {
		return inner >= id && inner <= id + this.trace.size[id];
	}

	drawTick(g, x, y, isEvent, chosen) {
		g.fillStyle = chosen ? "#d22" : isEvent ? "#c70" : "#48a";
		g.fillRect(x - (chosen ? 1.5 : 0.5), y, chosen ? 3 : 1.5, BAR - 1);
	}

	drawLost(g) {
		g.fillStyle = "#d228";
		for (const { time, cpu } of this.trace.lost)
			g.fillRect(this.x(time) - 1, this.lanes[cpu].y - this.box.scrollTop, 3, 2 * BAR);
	}

	drawScale(g) {
		const span = this.to - this.from, least = span / (this.view.width / 110);
		const power = 10 ** Math.floor(Math.log10(least)), step = power * [1, 2, 5, 10].find(n => n * power >= least);
		g.fillStyle = this.view.ground;
		g.fillRect(0, 0, this.view.width, 20);
		g.fillStyle = this.view.text;
		for (let time = Math.ceil(this.from / step) * step; time < this.to; time += step) {
			g.fillRect(this.x(time), 0, 1, 20);
			g.fillText(showTime(time), this.x(time) + 3, 10);
		}
	}

	zoom(factor, at) {
		const centre = this.from + at * (this.to - this.from);
		const span = Math.max((this.to - this.from) * factor, 20);
		this.look(centre - at * span, span);
	}

	look(from, length) {
		const span = Math.min(length, this.trace.last);
		this.from = Math.min(Math.max(from, 0), Math.max(this.trace.last - span, 0));
		this.to = this.from + span;
		this.view.draw();
	}

	zoomTo(id) {
		const length = Math.max(this.trace.end[id] - this.trace.start[id], 100);
		this.look(this.trace.start[id] - length / 10, length * 1.2);
	}

	// Shows the item: in the time around it, in the lane of its task.
	show(id) {
		this.zoomTo(id);
		const lane = this.lanes.find(lane => lane.number === this.trace.task[id]);
		this.box.scrollTop = Math.max(0, lane.y + this.trace.depth[id] * BAR - this.box.clientHeight / 2);
	}

	move(event) {
		if (!this.drag) {
			const id = this.itemAt(event.offsetX, event.offsetY), t = this.trace;
			this.view.canvas.title = id < 0 ? "" : nameOf(t, id) + (t.kind[id] === CALL ? "() " + showTime(t.duration[id]) : "");
			return;
		}
		const dx = event.clientX - this.drag.x;
		if (Math.abs(dx) + Math.abs(event.clientY - this.drag.y) > 4)
			this.drag.moved = true;
		if (!this.drag.moved)
			return;
		this.box.scrollTop = this.drag.top + this.drag.y - event.clientY;
		this.look(this.drag.from - dx / this.view.width * (this.to - this.from), this.to - this.from);
	}

	// The number of the item at a point of the canvas, or -1.
	itemAt(x, y) {
		const t = this.trace, at = y + this.box.scrollTop;
		const lane = this.lanes.find(lane => lane.task && at >= lane.y + BAR && at < lane.y + BAR * (lane.lines + 1));
		if (!lane)
			return -1;
		const depth = Math.floor((at - lane.y - BAR) / BAR), near = (this.to - this.from) / this.view.width;
		const time = this.from + x * near;
		for (let id = lane.task.first; id < lane.task.first + lane.task.count;) {
			const hit = time >= t.start[id] - 2 * near && time <= t.end[id] + 2 * near;
			if (hit && t.depth[id] === depth)
				return id;
			id += hit ? 1 : t.size[id] + 1;
		}
		return -1;
	}

	pick(event) {
		const id = this.itemAt(event.offsetX, event.offsetY);
		if (id >= 0)
			this.page.select(id, this);
	}

	key(event) {
		const step = (this.to - this.from) / 5;
		if (event.key === "+" || event.key === "w")
			this.zoom(0.6, 0.5);
		else if (event.key === "-" || event.key === "s")
			this.zoom(1.7, 0.5);
		else if (event.key === "ArrowLeft" || event.key === "a")
			this.look(this.from - step, this.to - this.from);
		else if (event.key === "ArrowRight" || event.key === "d")
			this.look(this.from + step, this.to - this.from);
		else if (event.key === "0")
			this.look(0, this.trace.last);
		else
			return;
		event.preventDefault();
	}
}

// The first index whose value is not below `value`; the array is in order.
function lowerBound(array, value) {
	let low = 0, high = array.length;
	while (low < high) {
		const middle = low + high >> 1;
		if (array[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
