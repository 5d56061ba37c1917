#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tries the page of docs/browser in Chromium without a window:  digits.py PAGE [--pictures DIR]

The page is opened as a file. Its net has to reach 0.85 of the test pictures, the matrix has to have all of them, digits that are drawn by mouse and by finger have
to be recognised, nothing may be fetched, and no line may be wider than the window, in 1200 and 400 pixels, light and dark. --pictures keeps pictures of the
page. Exit status 77: there is no Chromium.
"""
import argparse
import base64
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SIZES = {"wide": (1200, 900), "narrow": (400, 800)}

# Strokes of each digit, x and y from 0 to 100; y goes down.
STROKES = {
    0: [[(50, 10), (32, 18), (25, 40), (26, 65), (36, 86), (50, 90), (65, 84), (73, 62), (73, 38), (66, 18), (50, 10)]],
    1: [[(40, 25), (54, 10), (54, 90)]],
    2: [[(28, 28), (36, 14), (52, 10), (66, 18), (68, 34), (58, 52), (42, 70), (28, 88), (50, 86), (74, 88)]],
    3: [[(30, 16), (50, 10), (66, 18), (66, 34), (52, 46), (42, 48), (56, 50), (70, 62), (68, 80), (52, 90), (30, 86)]],
    4: [[(44, 10), (34, 36), (25, 60), (50, 60), (76, 58)], [(62, 34), (60, 62), (58, 92)]],
    5: [[(70, 10), (36, 12), (33, 45), (50, 42), (66, 50), (70, 68), (60, 86), (42, 90), (28, 84)]],
    6: [[(58, 10), (42, 26), (32, 50), (30, 72), (40, 88), (56, 90), (68, 78), (66, 62), (52, 56), (36, 62), (31, 74)]],
    7: [[(28, 12), (50, 11), (72, 12), (62, 38), (52, 64), (44, 90)], [(36, 52), (70, 50)]],
    8: [[(64, 20), (50, 10), (36, 18), (38, 34), (52, 48), (66, 64), (66, 82), (50, 90), (36, 82), (36, 66), (50, 50), (64, 34), (64, 20)]],
    9: [[(66, 26), (52, 10), (36, 18), (34, 36), (46, 48), (60, 42), (66, 26), (66, 50), (62, 74), (54, 90)]],
}


class Failed(Exception):
    """A sentence."""


class Browser:
    """Chromium, which answers JSON with zeros between on two pipes."""

    def __init__(self, program, folder):
        from_here, to_there = os.pipe(), os.pipe()

        def connect():
            os.dup2(keep[0], 3)
            os.dup2(keep[1], 4)

        # Numbers above 4, so that the second one is not overwritten.
        import fcntl
        keep = [fcntl.fcntl(from_here[0], fcntl.F_DUPFD, 10), fcntl.fcntl(to_there[1], fcntl.F_DUPFD, 10)]
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=connect, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (from_here[0], to_there[1], *keep):
            os.close(end)
        self.write, self.read, self.rest, self.number, self.session, self.events = from_here[1], to_there[0], b"", 0, None, []
        os.set_blocking(self.read, False)

    def message(self, until):
        while b"\0" not in self.rest:
            try:
                part = os.read(self.read, 1 << 20)
            except BlockingIOError:
                part = None
            if part == b"" or time.monotonic() > until:
                raise Failed("Chromium does not answer")
            if part is None:
                time.sleep(0.005)
            else:
                self.rest += part
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters} | ({"sessionId": self.session} if self.session else {})
        os.write(self.write, json.dumps(request).encode() + b"\0")
        until = time.monotonic() + 60
        while (answer := self.message(until)).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            raise Failed(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def value(self, expression):
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise Failed(f"{expression}: {done['exceptionDetails'].get('exception', {}).get('description', done['exceptionDetails']['text'])}")
        return done["result"].get("value")

    def open(self, address):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.show(*SIZES["wide"])
        self.call("Page.navigate", url=address)

    def show(self, width, height, scheme="light"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def end(self):
        with contextlib.suppress(Exception):
            self.session = None
            self.call("Browser.close")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def strokes_on_screen(browser, digit):
    browser.value("document.getElementById('field').scrollIntoView({block: 'center'})")
    x, y, width, height = browser.value("(b => [b.x, b.y, b.width, b.height])(document.getElementById('field').getBoundingClientRect())")
    return [[(x + px * width / 100, y + py * height / 100) for px, py in stroke] for stroke in STROKES[digit]]


def draw(browser, digit, finger=False):
    """Draws a digit and returns what the page says."""
    browser.value("document.getElementById('clear').click()")
    for stroke in strokes_on_screen(browser, digit):
        for i, (x, y) in enumerate(stroke):
            if finger:
                browser.call("Input.dispatchTouchEvent", type="touchMove" if i else "touchStart", touchPoints=[{"x": x, "y": y}])
            else:
                browser.call("Input.dispatchMouseEvent", type="mouseMoved" if i else "mousePressed", x=x, y=y, button="left", buttons=1, clickCount=0 if i else 1)
        if finger:
            browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        else:
            browser.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", buttons=0, clickCount=1)
    return browser.value("document.body.dataset.digit")


def wait_until_trained(browser, epochs):
    until = time.monotonic() + 120
    while browser.value("document.body?.dataset.state") != "done" or browser.value("+document.getElementById('epochs').textContent") < epochs:
        error = browser.value("document.getElementById('error')?.textContent")
        if error:
            raise Failed(f"the page says: {error}")
        if time.monotonic() > until:
            raise Failed("the page has not trained its epochs in two minutes")
        time.sleep(0.1)


def expect(truth, sentence):
    if not truth:
        raise Failed(sentence)


def check_training(browser):
    wait_until_trained(browser, 20)
    accuracy = float(browser.value("document.getElementById('accuracy').dataset.value"))
    expect(accuracy >= 0.85, f"expected an accuracy of at least 0.85, got {accuracy:.4f}")
    counts = browser.value("[...document.querySelectorAll('#confusion tr')].slice(1).map(row => [...row.querySelectorAll('td')].map(cell => +cell.textContent))")
    right = sum(counts[k][k] for k in range(10))
    expect(sum(map(sum, counts)) == 360, f"the matrix has {sum(map(sum, counts))} pictures, not 360")
    expect(abs(right / 360 - accuracy) < 1e-6, f"the matrix has {right} right ones, the accuracy is {accuracy:.4f}")
    for curve in ("accuracies", "losses"):
        points = browser.value(f"document.querySelector('#{curve} polyline').points.length")
        expect(points == 20, f"the curve {curve} has {points} points, not 20")
    return accuracy


def check_drawings(browser):
    read = {digit: draw(browser, digit) for digit in STROKES}
    right = [digit for digit in STROKES if read[digit] == str(digit)]
    expect(len(right) >= 9, f"drawn by mouse, only {right} are recognised: {read}")
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
    touched = draw(browser, 3, finger=True)
    expect(touched == "3", f"a 3 that a finger draws is read as {touched!r}")
    browser.call("Emulation.setTouchEmulationEnabled", enabled=False)
    shares = browser.value("[...document.querySelectorAll('.bar')].map(bar => +bar.style.getPropertyValue('--share'))")
    expect(abs(sum(shares) - 1) < 1e-2 and max(shares) == shares[3], f"probabilities of the 3: {shares}")
    browser.value("document.getElementById('clear').click()")
    expect(browser.value("document.body.dataset.digit") == "", "an empty field is read as a digit")
    return right


def check_looks(browser, pictures):
    draw(browser, 5)
    for scheme in ("light", "dark"):
        for name, (width, height) in SIZES.items():
            browser.show(width, height, scheme)
            browser.value("scrollTo(0, 0)")
            time.sleep(0.2)
            wide = browser.value("document.documentElement.scrollWidth")
            expect(wide <= width, f"the page is {wide} pixels wide in a window of {width}")
            image = base64.b64decode(browser.call("Page.captureScreenshot", captureBeyondViewport=True, format="png")["data"])
            expect(len(image) > 10000, "a picture of the page is empty")
            if pictures:
                pictures.mkdir(parents=True, exist_ok=True)
                (pictures / f"{name}_{scheme}.png").write_bytes(image)
    browser.show(*SIZES["wide"])


def check_buttons(browser):
    """Further epochs, a pause, and a new run."""
    browser.value("document.getElementById('go').click()")
    expect(browser.value("document.body.dataset.state") == "running", "the button does not go on with training")
    wait_until_trained(browser, 40)
    expect(browser.value("document.getElementById('again').click(), +document.getElementById('epochs').textContent") == 0, "a new run has epochs behind it")
    browser.value("document.getElementById('go').click()")
    expect(browser.value("new Promise(done => setTimeout(() => done(document.body.dataset.state), 300))") == "paused", "the button does not pause training")
    browser.value("document.getElementById('go').click()")
    wait_until_trained(browser, 20)


def check_silence(browser):
    """Nothing was fetched but the page, and nothing was reported as wrong."""
    for event in browser.events:
        method, facts = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            expect(facts["request"]["url"].startswith(("file:", "data:", "blob:")), f"the page fetches {facts['request']['url']}")
        expect(method != "Runtime.exceptionThrown", f"the page throws: {json.dumps(facts)[:500]}")
        expect(method != "Log.entryAdded" or facts["entry"]["level"] != "error", f"the page reports: {json.dumps(facts)[:500]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    given = parser.parse_args()
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not program:
        print("skipped: there is no Chromium")
        return SKIPPED
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        try:
            browser.open(given.page.resolve().as_uri())
            accuracy = check_training(browser)
            right = check_drawings(browser)
            check_looks(browser, given.pictures)
            check_buttons(browser)
            check_silence(browser)
        except Failed as sentence:
            return f"{given.page.name}: {sentence}"
        finally:
            browser.end()
    print(f"accuracy {accuracy:.4f}; drawn and recognised: {right}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
