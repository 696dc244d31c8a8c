#!/usr/bin/env python3
"""Makes pages of recorded errors with error-report, and opens each in a headless Chromium, over its debugging pipe.

    page-in-browser.py BROWSER ERROR-REPORT [--pictures FOLDER FILE]

The pictures show the page of the records in FILE.
"""
import base64, datetime, json, math, os, pathlib, random, re, subprocess, sys, tempfile, time

BROWSER, REPORT = sys.argv[1:3]
PICTURES = sys.argv[4:6] if "--pictures" in sys.argv else None
TOP = 'document.querySelector("#kinds tbody tr .name").textContent'
FIRST_PAINT = """new Promise(done => new PerformanceObserver(
    list => list.getEntriesByName("first-contentful-paint").forEach(entry => done(entry.startTime))
).observe({ type: "paint", buffered: true }))"""
COMPLAINTS = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
UNMATCHED = (14, 31, 40)
HOSTILE = [
    "</script><script>window.ran = 1</script>", "<img src=x onerror='window.ran = 1'>", "line\u2028separator\u2029end",
    "\u202egnp.exe\u2066\u200f", "javascript:window.ran=1", "<!--", "]]>", "${window.ran=1}", "&lt;b&gt;", "\\u003c",
    "\u0000\u001b[2J", "<a href='javascript:window.ran=1'>x</a>", "http://localhost:1/x.png", "m" * 16_384, "é🙂\u200d🙂",
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
        for domain in ["Page", "Runtime", "Log", "Network", "Performance", "Accessibility"]:
            self.call(f"{domain}.enable")
        self.resize(1000, 720)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

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

    def set(self, selector, value, event):
        self.ask(f"(part => {{ part.value = '{value}'; part.dispatchEvent(new Event('{event}')); }})"
                 f"(document.querySelector('{selector}'))")

    def click(self, selector):
        self.ask(f"document.querySelector({json.dumps(selector)}).click()")

    def drag(self, begin, end):
        """Drags across the chart, between two parts of its width."""
        self.ask("document.querySelector('#chart').scrollIntoView()")
        box = self.ask("(b => [b.x, b.y, b.width, b.height])(document.querySelector('#chart').getBoundingClientRect())")
        points = [(box[0] + part * box[2], box[1] + box[3] / 2) for part in (begin, (begin + end) / 2, end)]
        for kind, (x, y) in zip(("mousePressed", "mouseMoved", "mouseReleased"), points):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def press(self, key, character=""):
        code = {"key": key, "code": key, "windowsVirtualKeyCode": {"Tab": 9, "Enter": 13}[key]}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=character, **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", **code)

    def emulate(self, scheme, media=""):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def picture(self, path, scheme):
        self.emulate(scheme)
        self.ask("scrollTo(0, 0)")
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


def check(holds, what):
    if not holds:
        raise SystemExit(f"failed: {what}")


def record(number, at, kind, text=None, newest=math.inf, **changes):
    """A line as a recorder writes it, or, with a text, one that somebody made who wishes harm."""
    types = ["Orders.PaymentError", "Orders.StockError", "HTTPErrors.NetworkError", "Orders.MailError",
             "Foundation.URLError"]
    cases = ["declined", "timedOut", "missing", "tooLate", "full"]
    name = text or f"{types[kind % 5]}.{cases[kind // 5 % 5]}" + (f"{kind}" if kind > 24 else "")
    # One service has two releases, another one records none.
    service, release = ("mail", None) if kind % 5 == 3 else ("orders", "2.4.1" if number > newest else "2.4.0")
    fields = {
        "version": 1, "time": at.isoformat(timespec="microseconds") + "Z", "host": text or f"web-{number % 5 + 1}",
        "service": text or service, **({"release": text or release} if text or release else {}),
        "process": 6239, "start": "2026-05-31T06:00:00.000000Z", "sequence": number,
        "disposition": "unmatched" if kind in UNMATCHED else "ignored" if kind % 7 == 6 else "handled",
        "role": "failure",
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
        yield record(number + 1, at, kind, newest=0.6 * count, role=role, occurrences=40 if number % 97 == 0 else 1)
    if count > 1:
        yield record(count + 1, at, 3, type="ErrorRouting.ErrorsDropped",
                     fingerprint="ErrorRouting.ErrorsDropped Orders/Bus.swift",
                     value=json.dumps({"count": 250, "byType": {}}), disposition="unmatched")
        yield '{"version":1,"broken'


def page(folder, name, content, end="\n"):
    """Returns the path of the page of some lines."""
    path = pathlib.Path(folder) / f"{name}.html"
    data = pathlib.Path(folder) / f"{name}.jsonl"
    with data.open("w") as file:
        for line in content:
            file.write(line + end)
    with path.open("wb") as output:
        subprocess.run([REPORT, str(data)], stdout=output, check=True)
    data.unlink()
    check(path.stat().st_size <= 2_000_000, f"{name}: the page has {path.stat().st_size} bytes")
    return path


def checked(browser, path):
    """Opens a page; nothing is asked of outside, and the console has no error."""
    browser.open(path)
    browser.ask("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    requests = [event["params"]["request"]["url"] for event in browser.events
                if event.get("method") == "Network.requestWillBeSent"]
    check(requests == [f"file://{path}"], f"{path}: it requests {requests}")
    complaints = [event for event in browser.events if event.get("method") in COMPLAINTS]
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
    lost = browser.ask("document.querySelector('#lost').textContent")
    check("Dropped by the process: 250" in lost, "what was dropped is told")
    check("Unreadable lines: 1" in lost, "broken lines are told")
    check(browser.ask("document.querySelectorAll('#kinds .new').length") >= 1, "a kind is new")
    top = browser.ask(TOP)
    browser.click("#sort-first")
    sorted_by = browser.ask("document.querySelector('#kinds [aria-sort=descending]').textContent")
    check(sorted_by == "First seen", "sorted by newness")
    check(browser.ask("document.querySelector('#kinds tbody tr .new') !== null"), "the newest kind comes first")
    browser.click("#sort-count")
    check(browser.ask(TOP) == top, "sorted by count again")
    browser.set("#search", "stock TIMED", "input")
    check(0 < rows(browser) < all_rows and "Stock" in browser.ask(TOP), "the search finds")
    browser.set("#search", "", "input")
    status = browser.ask("document.querySelector('#status').textContent")
    browser.drag(0.5, 0.6)
    check(browser.ask("document.querySelector('#status').textContent") != status, "dragging zooms")
    check(browser.ask("document.querySelectorAll('#chart .bar').length") > 10, "the zoomed chart has bars")
    check(browser.ask("document.querySelectorAll('#buckets tbody tr').length") > 3, "the table beside it has rows")
    browser.click("#closer"), browser.click("#earlier"), browser.click("#wider"), browser.click("#whole")
    check(browser.ask("document.querySelector('#status').textContent") == status, "the whole time again")
    browser.click("#legend li:nth-child(2) button")
    shown = browser.ask("[...document.querySelectorAll('#chart .bar')].map(bar => bar.getAttribute('class'))")
    check(len(set(shown)) == 1, "a click shows one kind")
    check(browser.ask("document.querySelectorAll('#legend [aria-pressed=true]').length") == 1, "the legend says which")
    browser.click("#all")
    check(browser.ask("document.querySelectorAll('#chart .bar').length") == bars, "all kinds again")
    browser.set("#role", "1", "change")
    check(rows(browser) > 0 and rows(browser) <= all_rows, "attempts are apart")
    browser.set("#role", "0", "change")


def deployments(browser):
    """Services and releases: columns, filters, and what is new in the newest release."""
    def options(selector):
        return browser.ask(f"[...document.querySelectorAll('{selector} option')].map(o => [o.value, o.textContent])")
    def column(number):
        return set(browser.ask(f"[...document.querySelectorAll('#kinds tbody tr')].flatMap(row =>"
                               f" [...row.cells[{number}].querySelectorAll('bdi')].map(part => part.textContent))"))
    heads = browser.ask("[...document.querySelectorAll('#kinds th')].slice(0, 10).map(head => head.textContent)")
    check(heads[6:8] == ["Service", "Release"], f"the columns are {heads}")
    check(column(6) == {"orders", "mail"}, f"the services are {column(6)}")
    check(column(7) == {"2.4.0", "2.4.1", "no release"}, f"the releases are {column(7)}")
    fresh = browser.ask("[...document.querySelectorAll('#kinds .release')].map(part => part.textContent)")
    check(set(fresh) == {"new in 2.4.1"}, f"kinds are marked {fresh}")
    told = browser.ask("document.querySelector('#newest').textContent")
    check("Newest release of orders: 2.4.1, first seen" in told and "the latest" in told, f"the page says {told}")
    whole = browser.ask("document.querySelector('#kinds').textContent + document.querySelector('#chart').innerHTML")
    for selector, number, names in (("#service", 6, ["mail", "orders"]), ("#release", 7, ["2.4.0", "2.4.1"])):
        for name in names:
            value, label = next(option for option in options(selector) if option[1].startswith(name))
            browser.set(selector, value, "change")
            check(column(number) == {name}, f"only {name} is in the table: {column(number)}")
            count = int(label[len(name) + 2:-1].replace(",", ""))
            total = 0
            for role in range(4):
                browser.set("#role", str(role), "change")
                sums = "[...document.querySelectorAll('#buckets tbody tr')].map(row => row.cells[1].textContent)"
                total += sum(int(text.replace(",", "")) for text in browser.ask(sums))
            check(total == count, f"the chart of {name} has {total} of {count} errors")
            browser.set("#role", "0", "change")
        browser.set(selector, "", "change")
    after = browser.ask("document.querySelector('#kinds').textContent + document.querySelector('#chart').innerHTML")
    check(after == whole, "all services and releases again")


def numbers(browser):
    """Each number says what it counts, and a legend shows what tells its kind from the others."""
    def text(selector):
        return browser.ask(f"document.querySelector('{selector}').textContent")
    check(re.search(r": [\d,]+ errors of \d+ kinds on 5 hosts, in [\d,]+ lines\.$", text("#summary")), text("#summary"))
    found = re.match(r"[\d,]+ failures of (\d+) kinds, (\d+) of (\d+) in the table$", text("#status"))
    check(found and found[1] == found[3] and int(found[2]) == rows(browser), text("#status"))
    labels = browser.ask("[...document.querySelectorAll('#legend .label')].map(part => part.textContent)")
    check(len(labels) == 12 and not any("Orders." in label or "/" in label for label in labels), f"legends: {labels}")
    check("PaymentError.declined Intake.swift" in labels, f"legends: {labels}")
    full = browser.ask("document.querySelector('#legend button').title")
    check("Orders/Intake.swift" in full, f"the whole name is {full}")


def keyboard(browser):
    """The keyboard alone reaches every control, and a control that it uses keeps the focus."""
    controls = "'button, select, input, summary'"
    browser.ask(f"document.querySelectorAll({controls}).forEach((part, n) => part.dataset.n = n)")
    wanted = browser.ask(f"[...document.querySelectorAll({controls})].filter(part => !part.disabled"
                         " && part.checkVisibility()).map(part => part.dataset.n)")
    reached = []
    while len(reached) < len(wanted) + 2:  # After the last control comes the page itself.
        browser.press("Tab")
        reached.append(browser.ask("document.activeElement.dataset.n"))
    check(set(wanted) <= set(reached), f"the keyboard reaches {reached} of {wanted}")
    for button in ("#legend-1", "#kinds tbody tr .name", "#sort-first"):
        status = browser.ask("document.body.innerHTML")
        browser.ask(f"document.querySelector('{button}').focus()")
        browser.press("Enter", "\r")
        check(browser.ask("document.body.innerHTML") != status, f"{button} works with the keyboard")
        focused = browser.ask(f"document.activeElement === document.querySelector('{button}')")
        check(focused, f"{button} keeps the focus")
    browser.click("#sort-count"), browser.click("#all")


def accessible(browser):
    """What a screen reader has: names and roles of controls, headings in order, names and headers of tables."""
    browser.ask("document.querySelectorAll('details').forEach(part => part.open = true)")
    nodes = [node for node in browser.call("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    browser.ask("document.querySelectorAll('details').forEach(part => part.open = false)")
    def name(node):
        return node.get("name", {}).get("value", "")
    def of(*roles):
        return [node for node in nodes if node["role"]["value"] in roles]
    def value(node, key):
        return next((own["value"].get("value") for own in node["properties"] if own["name"] == key), None)
    controls = [node for node in nodes if value(node, "focusable") and node["role"]["value"] != "RootWebArea"]
    roles = {node["role"]["value"] for node in controls}
    check(roles == {"button", "combobox", "option", "searchbox", "DisclosureTriangle"}, f"the controls are {roles}")
    check(len(of("columnheader")) == 14 and len(of("rowheader")) > 20, "tables have headers")
    for node in controls + of("table", "columnheader", "rowheader", "image", "region"):
        check(name(node), f"a {node['role']['value']} has no name")
    check([value(node, "level") for node in of("heading")] == [1, 2, 2, 2], "headings are in order")
    check({name(node) for node in of("table")} == {"By time", "By kind"}, "tables have the names of their sections")
    chart = name(of("image")[0])
    check("the most at" in chart and "unmatched" in chart and "dropped" in chart, f"the chart says {chart}")
    check(len(of("image")) == 1 + rows(browser), "the chart and each line by time have a text")
    pressed = [node for node in of("button") if value(node, "pressed") is not None]
    check(len(pressed) > 20, "buttons that choose a kind say whether it is chosen")


def printed(browser):
    """Paper shows everything, in the colors for the light, also of somebody whose system is dark."""
    browser.ask("addEventListener('beforeprint', () => {"
                "window.opened = document.querySelectorAll('#kinds details[open]').length })")
    browser.emulate("dark")
    paper = base64.b64decode(browser.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])
    check(paper.startswith(b"%PDF") and paper.count(b"/Type /Page") > 1, "it prints")
    check(browser.ask("window.opened") == rows(browser), "the examples of all rows are printed")
    check(browser.ask("document.querySelectorAll('#kinds details[open]').length") == 0, "they are closed again")
    browser.emulate("dark", "print")
    # A4 without the browser's margins.
    browser.resize(717, 1046)
    browser.ask("dispatchEvent(new Event('beforeprint'))")
    colors = browser.ask("(s => [s.backgroundColor, s.color, s.colorScheme])(getComputedStyle(document.body))")
    check(colors == ["rgb(255, 255, 255)", "rgb(28, 30, 33)", "light"], f"the colors of paper are {colors}")
    check(browser.ask("document.documentElement.scrollWidth") <= 717, "the paper is wide enough")
    cut = browser.ask("""[...document.querySelectorAll("body *")].filter(part => part.checkVisibility()
        && !part.closest("svg") && (part.getBoundingClientRect().right > 717.5
            || part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== "inline"))
        .map(part => part.outerHTML.slice(0, 80))""")
    check(not cut, f"cut off on paper: {cut[:3]}")
    hidden = browser.ask("[...document.querySelectorAll('.tools button, #more')]"
                         ".every(part => getComputedStyle(part).display === 'none')")
    check(hidden, "no controls are printed that need a screen")
    seen = browser.ask("[...document.querySelectorAll('#chart, #chart .bar, #legend bdi, #kinds bdi, #kinds .spark')]"
                       ".every(part => part.getBoundingClientRect().height > 0)")
    check(seen, "the chart, its legend, the kinds and their examples are printed")
    browser.ask("dispatchEvent(new Event('afterprint'))")
    browser.emulate("light")
    browser.resize(1000, 720)


def pictures(browser, folder, target, source):
    """Takes the pictures of a file's page, under the names by which docc finds the one for the dark."""
    records = pathlib.Path(source).read_text().splitlines()
    # The name of the machine doesn't belong in a picture.
    records = [re.sub('"host":"[^"]*"', '"host":"web-1"', line) for line in records]
    checked(browser, page(folder, "pictures", records))
    # The picture ends between two rows of the table.
    browser.resize(1200, 1080)
    end = browser.ask("document.querySelectorAll('#kinds tbody tr')[1].getBoundingClientRect().bottom")
    browser.resize(1200, math.floor(end))
    for scheme, name in (("light", "error-report.png"), ("dark", "error-report~dark.png")):
        browser.picture(f"{target}/{name}", scheme)


def main():
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(f"{folder}/profile")
        try:
            checked(browser, page(folder, "0", []))
            check("Nothing was recorded" in browser.ask("document.body.innerText"), "an empty page says so")
            now = datetime.datetime(2026, 5, 31, 8)
            checked(browser, page(folder, "1", [record(1, now, 0)]))
            check(rows(browser) == 1, "one line is one row")
            summary = browser.ask("document.querySelector('#summary').textContent")
            check(summary.endswith(": 1 error of 1 kind on 1 host, in 1 line."), summary)
            plain = browser.ask("[...document.querySelectorAll('#service, #release')].every(o => !o.checkVisibility())")
            check(plain and browser.ask("document.querySelectorAll('#kinds thead th').length") == 8, "no column for one")
            check("Nothing was lost" in browser.ask("document.body.innerText"), "nothing was lost")
            checked(browser, page(folder, "unended", [record(1, now, 0)], end=""))
            shown = browser.ask("document.body.innerText")
            check("Files whose last line has no end: 1" in shown, "a killed process is told")
            check("Nothing was lost" not in shown, "what a killed process lost isn't known")
            checked(browser, page(folder, "1000", lines(1_000)))
            numbers(browser)
            interactions(browser)
            deployments(browser)
            keyboard(browser)
            accessible(browser)
            printed(browser)
            checked(browser, page(folder, "hostile", [record(n, now, 0, text) for n, text in enumerate(HOSTILE)]))
            check(rows(browser) == len(HOSTILE), "each hostile line is a kind")
            browser.ask("document.querySelectorAll('details').forEach(part => part.open = true)")
            shown = browser.ask("document.body.innerText")
            for text in ["</script><script>window.ran = 1</script>", "javascript:window.ran=1", "\\u{202e}gnp.exe",
                         "line\\u{2028}separator", "&lt;b&gt;"]:
                check(text in shown, f"{text!r} is not shown as text")
            loading = browser.ask("document.querySelectorAll('a, img, iframe, main script').length")
            check(loading == 0, "nothing links or loads")
            check("mmmmmmmm…" in shown, "a long message is shown by its beginning")
            printed(browser)
            million = checked(browser, page(folder, "1000000", lines(1_000_000)))
            painted = browser.ask(FIRST_PAINT)
            check(painted < 1_000, f"the first paint of 1,000,000 lines takes {painted} ms")
            print(f"1,000,000 lines: a page of {million.stat().st_size} bytes, first paint after {painted:.0f} ms")
            interactions(browser)
            deployments(browser)
            if PICTURES:
                pictures(browser, folder, *PICTURES)
        finally:
            browser.process.kill()
            browser.process.wait()
    print("the page holds in the browser: zoom, filter, search, sort, keyboard, names for a screen reader, paper, "
          "hostile texts, no request, no error")


main()
