"""Pages in a browser: Debian's Chromium, driven by npm's playwright-core, which is installed into build/browser."""
import json
import subprocess

from nop5 import ROOT, host

VERSION = "1.65.1"
HOME = ROOT / "build/browser"

# Runs the body of a test as a function of `page`, and prints what it returns, the errors of the page's scripts, and what the page
# has loaded.
HARNESS = """
const { chromium } = require("playwright-core");
(async () => {
	const { url, body, options } = JSON.parse(require("fs").readFileSync(0));
	const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
	const page = await browser.newPage(options), errors = [], loaded = [];
	page.setDefaultTimeout(0);
	page.on("pageerror", error => errors.push(error.message));
	page.on("request", request => loaded.push(request.url()));
	await page.goto(url);
	const result = await new Function("page", `return (async () => { ${body} })();`)(page);
	await browser.close();
	console.log(JSON.stringify({ result, errors, loaded }));
})();
"""


def install():
    if not (HOME / "node_modules/playwright-core/package.json").exists():
        HOME.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", HOME,
                        f"playwright-core@{VERSION}"], check=True, stdout=subprocess.DEVNULL)


def browse(path, body, width=1280, height=800, dark=False):
    """Opens a file and runs `body`, the body of an async function of playwright's `page`. Returns what it returns, and the addresses
    that the page has loaded. An error in one of the page's scripts fails the test."""
    install()
    options = {"viewport": {"width": width, "height": height}, "colorScheme": "dark" if dark else "light"}
    result = host(["node", "-e", HARNESS], input=json.dumps({"url": path.resolve().as_uri(), "body": body, "options": options}),
                  cwd=HOME, check=True, text=True, stdout=subprocess.PIPE)
    answer = json.loads(result.stdout)
    assert answer["errors"] == []
    return answer["result"], answer["loaded"]
