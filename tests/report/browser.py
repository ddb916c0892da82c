"""A page in a real headless Chromium, without any network, and what it says about it."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND"),
)
KNOWN = (  # advice that libraries in Snakemake's report give its authors
    "cdn.tailwindcss.com should not be used in production",
    "The input spec uses Vega-Lite v3",
)
# What the page fetched, which errors it met, which pictures failed, which links lead nowhere.
PROBE = """
<script>
  window.met = [];
  addEventListener("error", event => met.push(String(event.message || event.target.src)), true);
  addEventListener("unhandledrejection", event => met.push(String(event.reason)));
  addEventListener("securitypolicyviolation", event => met.push("blocked " + event.blockedURI));
</script>
"""
ANSWER = """
<script>
  addEventListener("load", () => setTimeout(() => {
    %s;
    setTimeout(() => {
      const outside = url => /^(https?|wss?|ftp):/.test(url);
      const answer = {
        met,
        fetched: performance.getEntriesByType("resource").map(e => e.name).filter(outside),
        broken: [...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.alt),
        images: document.images.length,
        lost: [...document.querySelectorAll('a[href^="#"]')].map(a => a.getAttribute("href"))
          .filter(h => h.length > 1 && !document.getElementById(decodeURIComponent(h.slice(1)))),
        width: document.documentElement.scrollWidth,
        window: innerWidth,
        text: document.body.innerText,
      };
      const place = document.createElement("pre");
      place.id = "answer";
      place.textContent = JSON.stringify(answer);
      parent.document.body.append(place);
    }, 1500);
  }, 1000));
</script>
"""


# No window is as narrow as a phone, a frame is.
FRAME = '<body><iframe style="border:0;width:390px;height:844px" srcdoc="%s"></iframe></body>'


@dataclass(frozen=True)
class Visit:
    """What a visit to a page showed."""

    answer: dict[str, Any]
    console: list[str]  # errors and warnings that the page logged


def visit(page: str, directory: Path, *, act: str = "", phone: bool = False) -> Visit:
    """Open a page, run the script `act` in it, and ask it about itself."""
    # The probe needs scripts, which the page itself forbids: only the test's copy is told so.
    policy = "default-src 'none';"
    page = page.replace(policy, f"{policy} script-src 'unsafe-inline';")
    start, end = page.index("<head>") + len("<head>"), page.rindex("</body>")
    probed = page[:start] + PROBE + page[start:end] + ANSWER % act + page[end:]
    file = directory / "page.html"
    file.write_text(FRAME % html.escape(probed) if phone else probed, encoding="utf-8")
    done = chromium(directory, "--dump-dom", file)
    answer = re.search('<pre id="answer">(.*?)</pre>', done.stdout, re.S)
    assert answer, f"the page did not answer\n{done.stderr[-2000:]}"
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    console = [line for line in console if not any(known in line for known in KNOWN)]
    return Visit(json.loads(html.unescape(answer[1])), console)


def chromium(directory: Path, action: str, file: Path) -> subprocess.CompletedProcess[str]:
    """Run Chromium without a window on a file."""
    assert CHROMIUM
    return subprocess.run(
        [
            CHROMIUM, *FLAGS, "--enable-logging=stderr", "--window-size=1400,900",
            "--virtual-time-budget=10000", f"--user-data-dir={directory / 'profile'}",
            action, file.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
