#!/usr/bin/env python3
"""Makes pages of recorded errors with error-report, and opens each in a headless Chromium, over its debugging pipe.

    page-in-browser.py BROWSER ERROR-REPORT [--pictures FOLDER]
"""
import base64, datetime, json, os, pathlib, random, subprocess, sys, tempfile, time

BROWSER, REPORT = sys.argv[1:3]
PICTURES = sys.argv[4] if "--pictures" in sys.argv else None
TOP = 'document.querySelector("#kinds tbody tr .name").textContent'
FIRST_PAINT = """new Promise(done => new PerformanceObserver(list => list.getEntriesByName("first-contentful-paint").forEach(
    entry => done(entry.startTime))).observe({ type: "paint", buffered: true }))"""
UNMATCHED = (14, 31, 40)
HOSTILE = [
    "</script><script>window.ran = 1</script>", "<img src=x onerror='window.ran = 1'>", "line\u2028separator\u2029end",
    "\u202egnp.exe\u2066\u200f", "javascript:window.ran=1", "<!--", "]]>", "${window.ran=1}", "&lt;b&gt;", "\\u003c", "\u0000\u001b[2J",
    "<a href='javascript:window.ran=1'>x</a>", "http://localhost:1/x.png", "m" * 16_384, "é🙂\u200d🙂",
]


class Browser:
    """A browser, by its debugging protocol: messages of JSON that end with NUL, on descriptors 3 and 4."""

    def __init__(self, folder):
        (own_in, self.out), (self.inn, own_out) = os.pipe(), os.pipe()
        def prepare():
            # The first may be one of the numbers, so they are moved out of the way.
            first, second = os.dup(own_in), os.dup(own_out)
            high = [os.dup2(first, 20), os.dup2(second, 21)]
            os.dup2(high[0], 3), os.dup2(high[1], 4)
        self.process = subprocess.Popen(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             "--disable-background-networking", "--no-first-run", f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=prepare, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(own_in), os.close(own_out)
        self.number, self.rest, self.session, self.events = 0, b"", None, []
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network", "Performance"]:
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=1000, height=720, deviceScaleFactor=1, mobile=False)

    def message(self):
        while b"\0" not in self.rest:
            piece = os.read(self.inn, 1 << 20)
            if not piece:
                raise SystemExit("the browser has ended")
            self.rest += piece
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url=f"file://{path}")
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def ask(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def click(self, selector):
        self.ask(f"document.querySelector({json.dumps(selector)}).click()")

    def drag(self, begin, end):
        """Drags across the chart, between two parts of its width."""
        self.ask("document.querySelector('#chart').scrollIntoView()")
        box = self.ask("(b => [b.x, b.y, b.width, b.height])(document.querySelector('#chart').getBoundingClientRect())")
        points = [(box[0] + part * box[2], box[1] + box[3] / 2) for part in (begin, (begin + end) / 2, end)]
        for kind, (x, y) in zip(("mousePressed", "mouseMoved", "mouseReleased"), points):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def picture(self, path, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("scrollTo(0, 0)")
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


def check(holds, what):
    if not holds:
        raise SystemExit(f"failed: {what}")


def record(number, at, kind, text=None, **changes):
    """A line as a recorder writes it, or, with a text, one that somebody made who wishes harm."""
    types = ["Orders.PaymentError", "Orders.StockError", "HTTPErrors.NetworkError", "Orders.MailError", "Foundation.URLError"]
    cases = ["declined", "timedOut", "missing", "tooLate", "full"]
    name = text or f"{types[kind % 5]}.{cases[kind // 5 % 5]}" + (f"{kind}" if kind > 24 else "")
    fields = {
        "version": 1, "time": at.isoformat(timespec="microseconds") + "Z", "host": text or f"web-{number % 5 + 1}",
        "service": text or "orders", "process": 6239, "start": "2026-05-31T06:00:00.000000Z", "sequence": number,
        "disposition": "unmatched" if kind in UNMATCHED else "ignored" if kind % 7 == 6 else "handled", "role": "failure",
        "type": text or types[kind % 5], "caseName": cases[kind // 5 % 5],
        "message": text or f"{cases[kind // 5 % 5]}(order: {number})",
        "source": "Orders/Intake.swift:42", "scope": [text or ("checkout" if kind % 3 else "intake")],
        "metadata": {text or "route": text or "/orders/{id}", "request": f"f81d4fae-{number:012d}"}, "occurrences": 1,
        "rule": text or "type(PaymentError)", "ruleSource": f"Orders/Rules.swift:{kind + 10}", "matchedRuleCount": 1,
        "fingerprint": f"{name} Orders/Intake.swift",
        "trail": [{"type": text or "Foundation.URLError", "message": text or "The request timed out.",
                   "fingerprint": "Foundation.URLError(NSURLErrorDomain -1001)"}],
    }
    if kind in UNMATCHED:
        del fields["rule"], fields["ruleSource"]
    fields.update(changes)
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def lines(count):
    """Lines of six hours: an outage in the middle, a kind that is new at the end, attempts and notices."""
    randoms = random.Random(57)
    begin = datetime.datetime(2026, 5, 31, 8)
    for number in range(count):
        part = number / max(count - 1, 1)
        kind = min(int(randoms.paretovariate(0.6)) - 1, 39)
        if 0.5 < part < 0.75 and randoms.random() < 0.6:
            kind = 14
        if part > 0.95 and randoms.random() < 0.2:
            kind = 40
        role = randoms.choices(["failure", "attempt", "notice"], [90, 8, 2])[0]
        # A quarter of the lines comes in a tenth of the time.
        at = begin + datetime.timedelta(hours=6) * (
            part if part < 0.5 else 0.5 + (part - 0.5) * 0.4 if part < 0.75 else 0.6 + (part - 0.75) * 1.6)
        yield record(number + 1, at, kind, role=role, occurrences=40 if number % 97 == 0 else 1)
    if count > 1:
        yield record(count + 1, at, 3, type="ErrorRouting.ErrorsDropped", fingerprint="ErrorRouting.ErrorsDropped Orders/Bus.swift",
                     value=json.dumps({"count": 250, "byType": {}}), disposition="unmatched")
        yield '{"version":1,"broken'


def page(folder, name, content):
    """Returns the path of the page of some lines."""
    path = pathlib.Path(folder) / f"{name}.html"
    data = pathlib.Path(folder) / f"{name}.jsonl"
    with data.open("w") as file:
        for line in content:
            file.write(line + "\n")
    with path.open("wb") as output:
        subprocess.run([REPORT, str(data)], stdout=output, check=True)
    data.unlink()
    check(path.stat().st_size <= 2_000_000, f"{name}: the page has {path.stat().st_size} bytes")
    return path


def checked(browser, path):
    """Opens a page; nothing is asked of outside, and the console has no error."""
    browser.open(path)
    browser.ask("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    requests = [event["params"]["request"]["url"] for event in browser.events if event.get("method") == "Network.requestWillBeSent"]
    check(requests == [f"file://{path}"], f"{path}: it requests {requests}")
    complaints = [event for event in browser.events if event.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")]
    check(not complaints, f"{path}: {complaints}")
    check(browser.ask("typeof window.ran") == "undefined", f"{path}: anybody's text ran")
    return path


def rows(browser):
    return browser.ask("document.querySelectorAll('#kinds tbody tr').length")


def interactions(browser):
    """Zoom, filter, search and sort."""
    bars, all_rows = browser.ask("document.querySelectorAll('#chart .bar').length"), rows(browser)
    check(bars > 100, f"{bars} bars")
    check(browser.ask("document.querySelectorAll('#chart .unmatched').length") > 0, "what is unmatched stands out")
    check("Dropped by the process: 250" in browser.ask("document.querySelector('#lost').textContent"), "what was dropped is told")
    check("Unreadable lines: 1" in browser.ask("document.querySelector('#lost').textContent"), "broken lines are told")
    check(browser.ask("document.querySelectorAll('#kinds .new').length") >= 1, "a kind is new")
    top = browser.ask(TOP)
    browser.click("#sort-first")
    check(browser.ask("document.querySelector('#kinds [aria-sort=descending]').textContent") == "First seen", "sorted by newness")
    check(browser.ask("document.querySelector('#kinds tbody tr .new') !== null"), "the newest kind comes first")
    browser.click("#sort-count")
    check(browser.ask(TOP) == top, "sorted by count again")
    browser.ask("(s => { s.value = 'stock TIMED'; s.dispatchEvent(new Event('input')); })(document.querySelector('#search'))")
    check(0 < rows(browser) < all_rows and "Stock" in browser.ask(TOP), "the search finds")
    browser.ask("(s => { s.value = ''; s.dispatchEvent(new Event('input')); })(document.querySelector('#search'))")
    status = browser.ask("document.querySelector('#status').textContent")
    browser.drag(0.5, 0.6)
    check(browser.ask("document.querySelector('#status').textContent") != status, "dragging zooms")
    check(browser.ask("document.querySelectorAll('#chart .bar').length") > 10, "the zoomed chart has bars")
    check(browser.ask("document.querySelectorAll('#buckets tbody tr').length") > 3, "the table beside it has rows")
    browser.click("#closer"), browser.click("#earlier"), browser.click("#wider"), browser.click("#whole")
    check(browser.ask("document.querySelector('#status').textContent") == status, "the whole time again")
    browser.click("#legend li:nth-child(2) button")
    check(browser.ask("new Set([...document.querySelectorAll('#chart .bar')].map(bar => bar.getAttribute('class'))).size") == 1, "a click shows one kind")
    check(browser.ask("document.querySelectorAll('#legend [aria-pressed=true]').length") == 1, "the legend says which")
    browser.click("#all")
    check(browser.ask("document.querySelectorAll('#chart .bar').length") == bars, "all kinds again")
    browser.ask("(s => { s.value = '1'; s.dispatchEvent(new Event('change')); })(document.querySelector('#role'))")
    check(rows(browser) > 0 and rows(browser) <= all_rows, "attempts are apart")
    browser.ask("(s => { s.value = '0'; s.dispatchEvent(new Event('change')); })(document.querySelector('#role'))")


def main():
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(f"{folder}/profile")
        try:
            checked(browser, page(folder, "0", []))
            check("Nothing was recorded" in browser.ask("document.body.innerText"), "an empty page says so")
            checked(browser, page(folder, "1", lines(1)))
            check(rows(browser) == 1, "one line is one row")
            checked(browser, page(folder, "1000", lines(1_000)))
            interactions(browser)
            now = datetime.datetime(2026, 5, 31, 8)
            checked(browser, page(folder, "hostile", [record(n, now, 0, text) for n, text in enumerate(HOSTILE)]))
            check(rows(browser) == len(HOSTILE), "each hostile line is a kind")
            browser.ask("document.querySelectorAll('details').forEach(part => part.open = true)")
            shown = browser.ask("document.body.innerText")
            for text in ["</script><script>window.ran = 1</script>", "javascript:window.ran=1", "\\u{202e}gnp.exe", "line\\u{2028}separator", "&lt;b&gt;"]:
                check(text in shown, f"{text!r} is not shown as text")
            check(browser.ask("document.querySelectorAll('a, img, iframe, main script').length") == 0, "nothing links or loads")
            check("mmmmmmmm…" in shown, "a long message is shown by its beginning")
            million = checked(browser, page(folder, "1000000", lines(1_000_000)))
            painted = browser.ask(FIRST_PAINT)
            check(painted < 1_000, f"the first paint of 1,000,000 lines takes {painted} ms")
            print(f"1,000,000 lines: a page of {million.stat().st_size} bytes, first paint after {painted:.0f} ms")
            interactions(browser)
            if PICTURES:
                # The names by which docc finds the one for the dark.
                for scheme, name in (("light", "error-report.png"), ("dark", "error-report~dark.png")):
                    browser.picture(f"{PICTURES}/{name}", scheme)
        finally:
            browser.process.kill()
            browser.process.wait()
    print("the page holds in the browser: zoom, filter, search, sort, hostile texts, no request, no error")


main()
