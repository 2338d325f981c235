// A worker that turns a trace.dat into text: scripts/trace-convert, compiled to WebAssembly. The page sends the bytes, and gets {text} or
// {failed}; `said` is what the program says of damages.
"use strict";

onmessage = ({ data }) => {
	const said = [];
	self.Module = {
		arguments: ["/trace.dat", "-f", "ftrace", "-o", "/text"],
		printErr: text => said.push(text),
		preRun: [() => FS.writeFile("/trace.dat", data)],
		onExit: status => postMessage(status > 1 ? { failed: said.join("\n") } : { text: FS.readFile("/text", { encoding: "utf8" }), said: said.join("\n") }),
		onAbort: why => postMessage({ failed: String(why) }),
	};
	importScripts("trace-convert.js");
};
