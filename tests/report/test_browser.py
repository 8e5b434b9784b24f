"""The site in a real browser, opened from disk: chromium without a window, driven by selenium.

It looks at a build of all suites in small; `ASSAY_TEST_SITE=path/to/reports` names another site to look at.
`make setup EXTRAS=browser` and Debian's packages chromium and chromium-driver are what it needs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from assay.build import links
from tests.report import pages
from tests.workflow.checkout import Checkout

pytestmark = pytest.mark.full

webdriver = pytest.importorskip("selenium.webdriver", reason="make setup EXTRAS=browser")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select, WebDriverWait  # noqa: E402

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not (CHROMIUM and DRIVER):
    pytest.skip("no chromium and chromedriver here", allow_module_level=True)

SCHEMES = ("file:", "data:", "about:")


@pytest.fixture(scope="session")
def root(request: pytest.FixtureRequest) -> Path:
    """The folder of a site."""
    if given := os.environ.get("ASSAY_TEST_SITE"):
        return Path(given).resolve()
    checkout: Checkout = request.getfixturevalue("real")
    return checkout.root / "reports"


@pytest.fixture(scope="session")
def every(root: Path) -> dict[Path, pages.Page]:
    return pages.site(root)


def start(**preferences: Any) -> Any:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--window-size=1280,1000", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    if preferences:
        options.add_experimental_option("prefs", preferences)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.set_script_timeout(300)
    return driver


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    found = start()
    yield found
    found.quit()


def open_page(browser: Any, root: Path, name: str) -> None:
    """Open a page with all its pictures; it loads nothing from elsewhere and complains about nothing."""
    browser.get(
        (root / name.partition("#")[0]).as_uri() + (f"#{name.partition('#')[2]}" if "#" in name else "")
    )
    browser.execute_script("for (const i of document.images) i.loading = 'eager'")
    loaded = "return [...document.images].every((i) => i.complete)"
    WebDriverWait(browser, 120).until(lambda b: b.execute_script(loaded), f"pictures of {name}")
    complaints = [entry["message"] for entry in browser.get_log("browser") if entry["level"] != "DEBUG"]
    assert complaints == [], name
    assert outside(browser) == [], name
    broken = browser.execute_script(
        "return [...document.images].filter((i) => !i.naturalWidth).map((i) => i.src)"
    )
    assert broken == [], name


def outside(browser: Any) -> list[str]:
    """What was asked of a network."""
    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
    return [url for url in asked if not url.startswith(SCHEMES)]


def samples(root: Path) -> list[str]:
    """Every page that shows a whole, and of agents and episodes one of each suite and kind."""
    suites = sorted(path.stem for path in (root / "suites").glob("*.html"))
    names = ["index.html", "leaderboard.html", "history.html", "data.html", "verdict.html"]
    names += [*(f"suites/{suite}.html" for suite in suites)]
    for folder in ("matrix", "tasks", "beside"):
        names += [str(min((root / folder / suite).rglob("*.html")).relative_to(root)) for suite in suites]
    kinds: dict[tuple[str, str], str] = {}
    board = pages.read(root / "leaderboard.html")
    assert board.links
    for row in rows_of(root):
        kinds.setdefault((row["data-set"].split("/")[0], row["data-kind"]), row["data-agent"])
    for (suite, kind), agent in sorted(kinds.items()):
        if kind != "quoted":
            names += [links.agent_page(agent), links.episode_list(suite, agent)]
            first = links.episode_page(suite, agent, 0)
            names += [first] if (root / first).exists() else []
    return list(dict.fromkeys(names))


def rows_of(root: Path) -> list[dict[str, str]]:
    """The rows of the leaderboard, by their attributes."""
    found: list[dict[str, str]] = []

    class Reader(pages.HTMLParser):
        def handle_starttag(self, tag: str, attrs: Any) -> None:
            if tag == "tr" and "data-kind" in dict(attrs):
                found.append(dict(attrs))

    Reader().feed((root / "leaderboard.html").read_text(encoding="utf-8"))
    return found


def test_every_link_and_picture_of_every_page_is_there(every: dict[Path, pages.Page]) -> None:
    assert len(every) > 10
    assert pages.broken(every) == []
    assert {str(page.path): page.faults for page in every.values() if page.faults} == {}


def test_pages_open_from_disk_without_error_or_request(browser: Any, root: Path) -> None:
    for name in samples(root):
        open_page(browser, root, name)
        assert browser.find_elements(By.CSS_SELECTOR, "main h1"), name
        fits = "return document.documentElement.scrollWidth <= window.innerWidth"
        assert browser.execute_script(fits), f"{name} is wider than the window"


def test_no_column_of_the_leaderboard_is_cut_off(browser: Any, root: Path) -> None:
    open_page(browser, root, "leaderboard.html")
    box = "const box = document.getElementById('standings').parentElement;"
    widths = browser.execute_script(f"{box} return [box.scrollWidth, box.clientWidth]")
    assert widths[0] <= widths[1]


def test_pages_fit_a_telephone(browser: Any, root: Path) -> None:
    browser.set_window_size(500, 900)
    try:
        for name in samples(root):
            open_page(browser, root, name)
            fits = "return document.documentElement.scrollWidth <= window.innerWidth"
            assert browser.execute_script(fits), f"{name} is wider than the window"
    finally:
        browser.set_window_size(1280, 1000)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Any, root: Path, theme: str) -> None:
    found = find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("axe is not installed: make setup EXTRAS=browser")
    axe = (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")
    media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        serious = {}
        for name in samples(root):
            # Of fifty episodes on a page, which are alike, one is enough.
            ids = [i for i in pages.read(root / name).ids if i.count(".") >= 2]
            open_page(browser, root, f"{name}#{ids[-1]}" if "/0.html" in name and ids else name)
            browser.execute_script(axe)
            report = browser.execute_async_script(
                "const done = arguments[arguments.length - 1];"
                "axe.run({resultTypes: ['violations'], preload: false})"
                ".then(done, (e) => done({violations: [String(e)]}))"
            )
            bad = [
                (rule["id"], [node["html"][:120] for node in rule["nodes"][:3]])
                for rule in report["violations"]
                if not isinstance(rule, dict) or rule["impact"] in ("serious", "critical")
            ]
            if bad:
                serious[name] = bad
        assert serious == {}
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def column(browser: Any, at: int) -> list[str]:
    """The sort values of a column of the standings that are shown."""
    return list(
        browser.execute_script(
            "return [...document.querySelectorAll('#standings tbody tr:not([hidden])')]"
            f".map((row) => row.cells[{at}].dataset.sort ?? row.cells[{at}].textContent.trim())"
        )
    )


def test_standings_sort_by_mouse_and_by_keyboard(browser: Any, root: Path) -> None:
    open_page(browser, root, "leaderboard.html")
    button = browser.find_element(By.XPATH, "//table[@id='standings']//th/button[text()='Score']")
    at = int(button.find_element(By.XPATH, "..").get_property("cellIndex"))
    before = column(browser, at)
    for press, reverse in ((button.click, True), (lambda: button.send_keys(Keys.ENTER), False)):
        press()
        wanted = sorted((float(score) for score in before if score), reverse=reverse)
        WebDriverWait(browser, 10).until(
            lambda b, wanted=wanted: [float(score) for score in column(b, at) if score] == wanted
        )
    assert sorted(before) == sorted(column(browser, at))


def test_standings_are_filtered_by_set_kind_and_name(browser: Any, root: Path) -> None:
    open_page(browser, root, "leaderboard.html")
    rows = rows_of(root)
    suite = rows[-1]["data-set"].split("/")[0]
    Select(browser.find_element(By.NAME, "set")).select_by_value(suite)
    of_suite = [row for row in rows if row["data-set"].startswith(f"{suite}/")]
    assert len(column(browser, 0)) == len(of_suite) < len(rows)
    kind = of_suite[0]["data-kind"]
    browser.find_element(By.CSS_SELECTOR, f"[name=kind][value={kind}]").click()
    left = [row for row in of_suite if row["data-kind"] != kind]
    assert len(column(browser, 0)) == len(left)
    browser.find_element(By.CSS_SELECTOR, f"[name=kind][value={kind}]").click()
    agent = of_suite[-1]["data-agent"]
    browser.find_element(By.NAME, "agent").send_keys(agent.upper())
    named = [row for row in of_suite if agent in row["data-agent"]]
    assert len(column(browser, 0)) == len(named)
    assert f"{len(named)} of {len(rows)}" in browser.find_element(By.CSS_SELECTOR, "form output").text


def test_the_address_of_an_episode_shows_that_episode_alone(browser: Any, root: Path) -> None:
    for suite in sorted(path.stem for path in (root / "suites").glob("*.html")):
        page = max((root / "episodes" / suite).glob("*/0.html"), key=lambda path: path.stat().st_size)
        found = re.findall(r'<article[^>]* id="([^"]+)"', page.read_text(encoding="utf-8"))
        wanted = found[-1]
        steps = [name for name in pages.read(page).ids if name.startswith(f"{wanted}.")]
        for address in (wanted, *steps[-1:]):  # an episode, and a step in it
            open_page(browser, root, f"{page.relative_to(root)}#{address}")
            articles = browser.find_elements(By.TAG_NAME, "article")
            assert [a.get_attribute("id") for a in articles if a.is_displayed()] == [wanted]


def test_from_the_first_page_to_the_proof_of_a_flag_in_two_clicks(browser: Any, root: Path) -> None:
    open_page(browser, root, "index.html")
    proofs = browser.find_elements(By.CSS_SELECTOR, "table.flags td a[href*='episodes/']")
    assert proofs
    for address in [link.get_attribute("href") for link in proofs][:: max(1, len(proofs) // 5)]:
        browser.get(address)
        shown = [a for a in browser.find_elements(By.TAG_NAME, "article") if a.is_displayed()]
        assert len(shown) == 1, address


def test_from_the_first_page_to_the_matrix_a_task_and_two_episodes(browser: Any, root: Path) -> None:
    open_page(browser, root, "index.html")
    matrices = [
        link.get_attribute("href")
        for link in browser.find_elements(By.CSS_SELECTOR, ".card a[href*='matrix/']")
    ]
    assert matrices
    compared = 0
    for matrix in matrices:  # one click leads there, the next to a task, the next to two episodes
        browser.get(matrix)
        browser.find_element(By.CSS_SELECTOR, "table.matrix tbody th a").click()
        articles = [a for a in browser.find_elements(By.TAG_NAME, "article") if a.is_displayed()]
        assert len(articles) == 1, matrix
        assert not articles[0].find_element(By.CSS_SELECTOR, "details pre").is_displayed()
        pairs = articles[0].find_elements(By.CSS_SELECTOR, "a[href*='beside/']")
        if pairs:
            pairs[0].click()
            shown = [a for a in browser.find_elements(By.TAG_NAME, "article") if a.is_displayed()]
            assert len(shown) == 1, matrix
            assert shown[0].find_elements(By.CSS_SELECTOR, "table.beside")
            compared += 1
    assert compared


def test_the_address_keeps_the_filters(browser: Any, root: Path) -> None:
    open_page(browser, root, "leaderboard.html")
    browser.find_element(By.NAME, "agent").send_keys("a")
    shown = [row.is_displayed() for row in browser.find_elements(By.CSS_SELECTOR, "#standings tbody tr")]
    address = browser.current_url
    assert "agent=a" in address
    browser.get("about:blank")
    browser.get(address)
    assert browser.find_element(By.NAME, "agent").get_attribute("value") == "a"
    rows = browser.find_elements(By.CSS_SELECTOR, "#standings tbody tr")
    assert [row.is_displayed() for row in rows] == shown


NAV = "//nav[@aria-label='Site']//a[.='{}']"
MATRIX = "//div[@class='card']//a[contains(@href, 'matrix/')]"
SUITE = "//div[@class='card'][.//a[contains(@href, 'matrix/')]]/h3/a"

QUESTIONS: dict[str, tuple[list[str], str]] = {
    "who is best, and is it significant": (
        [NAV.format("Leaderboard"), "//summary[contains(., 'significant')]"],
        "//details[@open]//th[contains(., 'p, Holm')]",
    ),
    "why an agent failed at a task": (
        [MATRIX, "//table[contains(@class, 'matrix')]//td//a"],
        "//article[.//h3[.='Score']]",
    ),
    "what the audit caught, and how reliable it is": (
        [SUITE, "//nav[@class='toc']//a[.='Flags']"],
        "//table[contains(@class, 'flags')]//td[contains(., ' of ') and contains(., '%')]",
    ),
    "how two agents differ at one task": (
        [
            MATRIX,
            "//table[contains(@class, 'matrix')]/tbody//th/a",
            "//article//a[contains(@href, 'beside/')]",
        ],
        "//article//table[contains(@class, 'beside')]",
    ),
    "what it cost": ([NAV.format("Leaderboard")], "//table[@id='standings']//th[contains(., 'Dollars')]"),
    "what the score means": ([NAV.format("What a score means")], "//dt[.='chance']/following-sibling::dd"),
    "of what the score is made": (
        [SUITE, "//nav[@class='toc']//a[.='What the metrics mean']"],
        "//section[@aria-labelledby='words']//dd",
    ),
    "from the paper, or measured here": ([SUITE], "//p[starts-with(., 'After ')]"),
    "the data of a figure, and how to cite it": (
        [SUITE, "//nav[@class='toc']//a[.='Figures']"],
        "//figcaption[.//a[.='CSV']]//summary[.='Cite this']",
    ),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_in_three_clicks(browser: Any, root: Path, question: str) -> None:
    clicks, answer = QUESTIONS[question]
    assert len(clicks) <= 3
    open_page(browser, root, "index.html")
    for click in clicks:
        shown = [each for each in browser.find_elements(By.XPATH, click) if each.is_displayed()]
        assert shown, click
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", shown[0])
        shown[0].click()
    assert any(each.is_displayed() for each in browser.find_elements(By.XPATH, answer))


def test_the_leaderboard_shows_scores_on_a_telephone(browser: Any, root: Path) -> None:
    browser.set_window_size(390, 844)
    try:
        open_page(browser, root, "leaderboard.html")
        cell = browser.find_element(By.CSS_SELECTOR, "#standings tbody td.n[data-sort] b")
        width = browser.execute_script("return window.innerWidth")
        assert cell.rect["x"] + cell.rect["width"] <= width
    finally:
        browser.set_window_size(1280, 1000)


def test_pages_read_without_scripts(root: Path) -> None:
    plain = start(**{"profile.managed_default_content_settings.javascript": 2})
    try:
        plain.get((root / "leaderboard.html").as_uri())
        assert not plain.find_element(By.CSS_SELECTOR, "form.filter").is_displayed()
        assert len(plain.find_elements(By.CSS_SELECTOR, "#standings tbody tr")) == len(rows_of(root))
        assert not plain.find_elements(By.CSS_SELECTOR, "th button")
        plain.get((root / "index.html").as_uri())
        assert plain.find_element(By.ID, "episodes").is_displayed()
    finally:
        plain.quit()


def test_the_first_page_is_light(root: Path) -> None:
    loaded = [root / "index.html", *(root / "assets").iterdir()]
    assert sum(path.stat().st_size for path in loaded) <= 1_000_000
    assert (root / "index.html").stat().st_size <= 150_000
