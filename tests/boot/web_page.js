// Drives the page of `make web` in headless Chromium, for test_web.py: node web_page.js MODULES DIRECTORY [--headers] [--encoded]
// Serves DIRECTORY, with the headers for shared memory or without, with one that makes the browser unpack *.gz or without, and answers
// each line of standard input, [METHOD, ARGUMENT…], with a line: {"result": …} or {"error": …}.
"use strict";
const fs = require("fs"), http = require("http"), path = require("path"), readline = require("readline");
const [modules, directory, ...options] = process.argv.slice(2);
const { chromium } = require(path.join(modules, "playwright-core"));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".json": "application/json" };

const server = http.createServer((request, response) => {
	const file = path.join(directory, decodeURIComponent(new URL(request.url, "http://localhost").pathname).replace(/\/$/, "/index.html"));
	if (!fs.existsSync(file)) {
		response.writeHead(404);
		return response.end();
	}
	response.setHeader("Content-Type", TYPES[path.extname(file)] ?? "application/octet-stream");
	if (options.includes("--encoded") && file.endsWith(".gz"))
		response.setHeader("Content-Encoding", "gzip");
	if (options.includes("--headers")) {
		response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
		response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
	}
	fs.createReadStream(file).pipe(response);
});

const requests = [], problems = [];
let browser, page;

const methods = {
	async open(address, { width = 1280, height = 900, colorScheme = "light" } = {}) {
		const context = await browser.newContext({ viewport: { width, height }, colorScheme });
		page = await context.newPage();
		page.setDefaultTimeout(0);	// the limits are those of the tests
		page.on("request", request => requests.push(request.url()));
		page.on("pageerror", error => problems.push(error.message));
		page.on("console", message => message.type() === "error" && problems.push(message.text()));
		await page.goto(`http://localhost:${server.address().port}${address}`);
		await page.waitForFunction(() => globalThis.nop5);
	},
	async run(directory, command) {
		return page.evaluate(async ([directory, command]) => {
			const { machine } = nop5, decoder = new TextDecoder("latin1");
			let said = "";
			const listen = ({ detail }) => { said += decoder.decode(detail); };
			await machine.prompt();
			machine.addEventListener("output", listen);
			await machine.command(directory, command);
			machine.removeEventListener("output", listen);
			return said;
		}, [directory, command]);
	},
	prompt: () => page.evaluate(() => nop5.machine.prompt()),
	click: selector => page.click(selector),
	select: (selector, value) => page.selectOption(selector, value),
	press: key => page.keyboard.press(key),
	write: text => page.keyboard.type(text),
	text: selector => page.textContent(selector),
	wait: (selector, pattern) => page.waitForFunction(([selector, pattern]) => {
		const text = document.querySelector(selector)?.textContent;
		return text !== undefined && new RegExp(pattern).test(text) && [text];
	}, [selector, pattern]).then(async handle => (await handle.jsonValue())[0]),
	until: expression => page.waitForFunction(expression).then(() => null),
	evaluate: expression => page.evaluate(expression),
	size: (width, height) => page.setViewportSize({ width, height }),
	shot: (file, full) => page.screenshot({ path: file, fullPage: Boolean(full) }),
	async download(selector, file) {
		const [download] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
		await download.saveAs(file);
	},
	frame: (selector, expression) => page.frameLocator(selector).locator("body").evaluate((body, expression) => eval(expression), expression),
	upload: (selector, file) => page.setInputFiles(selector, file),
	requests: () => requests,
	problems: () => problems,
};

(async () => {
	await new Promise(resolve => server.listen(0, "localhost", resolve));
	browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
	for await (const line of readline.createInterface({ input: process.stdin })) {
		const [name, ...given] = JSON.parse(line);
		let answer;
		try {
			answer = { result: await methods[name](...given) ?? null };
		} catch (error) {
			answer = { error: error.message };
		}
		console.log(JSON.stringify(answer));
	}
	await browser.close();
	server.close();
})();
