// The picture of the machine: a square for each call site, in the order of the image, with the colour of the instruction that is there
// now. The worker looks at the guest's memory, so that the picture costs the guest nothing.

const KINDS = ["nop", "call", "int3", "other"];
const SIZE = 7, STEP = 8;	// pixels
const FLASH = 1500;		// milliseconds that a changed square has a frame

export class SiteMap {
	constructor(canvas, pointed, functions) {
		this.canvas = canvas;
		this.functions = functions;	// [name, source file] of each site
		this.drawn = new Uint8Array(functions.length);
		this.changed = new Float64Array(functions.length);
		canvas.addEventListener("pointermove", event => {
			const columns = Math.floor(canvas.width / STEP);
			const index = Math.floor(event.offsetY / STEP) * columns + Math.floor(event.offsetX / STEP);
			const found = functions[index];
			pointed.textContent = found ? `${found[0]} (${found[1]}): ${KINDS[this.drawn[index]]}` : "";
		});
		canvas.addEventListener("pointerleave", () => { pointed.textContent = ""; });
	}

	// Returns how many sites there are of each kind.
	draw(sites) {
		const { canvas } = this, now = performance.now(), width = canvas.clientWidth || 300;
		const columns = Math.floor(width / STEP), height = Math.ceil(sites.length / columns) * STEP;
		if (canvas.width !== width || canvas.height !== height)
			Object.assign(canvas, { width, height });
		const style = getComputedStyle(canvas), colours = KINDS.map(kind => style.getPropertyValue(`--${kind}`));
		const context = canvas.getContext("2d"), counts = KINDS.map(() => 0);
		context.clearRect(0, 0, width, height);
		sites.forEach((kind, index) => {
			counts[kind]++;
			if (kind !== this.drawn[index]) {
				this.drawn[index] = kind;
				this.changed[index] = now;
			}
			const x = index % columns * STEP, y = Math.floor(index / columns) * STEP;
			context.fillStyle = colours[kind];
			context.fillRect(x, y, SIZE, SIZE);
			if (now - this.changed[index] < FLASH && this.changed[index]) {
				context.strokeStyle = style.color;
				context.strokeRect(x + .5, y + .5, SIZE - 1, SIZE - 1);
			}
		});
		return counts;
	}
}
