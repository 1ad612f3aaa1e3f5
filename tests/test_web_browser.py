"""The browser view in a real Chromium: one browser for all, and two servers, one of which holds 10,000 statements."""

import os
import shutil

import pytest

from benchmarks.stores import opened, roots
from memory_cli.memory import make_session
from memory_cli.models.history import Who
from memory_cli.operations import intake
from memory_cli.operations.link import link
from memory_cli.operations.record import record
from memory_cli.operations.show import show
from memory_cli.operations.update import update
from memory_cli.store import journal
from tests.web import serving

BROWSER, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER) and "CI" not in os.environ, reason="Debian's chromium and chromium-driver are not here"
)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1400,900",
)  # fmt: skip
ODD = "<script>document.title='owned'</script> <img src=x onerror=alert(1)> \x1b[31m \u202eback"
ENOUGH = 20
# A click goes to a place: what is still moving, or lies under something else, would not get it.
STEADY = """
const [element, done] = arguments;
element.scrollIntoView({ block: "nearest" });
const place = () => JSON.stringify(element.getBoundingClientRect());
const before = place();
requestAnimationFrame(() => requestAnimationFrame(() => {
  const { x, y, width, height } = element.getBoundingClientRect();
  done(place() === before && element.contains(document.elementFromPoint(x + width / 2, y + height / 2)));
}));
"""


def served(folder):
    """Serve the memory in folder; yield the address."""
    return serving(make_session(
        project_root=folder / "project", storage_root=folder / "storage", environ={"HOME": str(folder)}, cwd=folder,
        source="test",
    ))  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A memory of a few statements, served."""
    made = tmp_path_factory.mktemp("few")
    roots(made)
    with opened(made) as memory:
        for id, text, kind, scope in (
            ("deploy", "Deploys need two reviews.", "RULE", "local"),
            ("tabs", "I prefer tabs.", "PREFERENCE", "global"),
            ("odd", ODD, "ITEM", "local"),
            ("tea", "Tea is green.", "FACT", "local"),
            ("cake", "Cake.", "FACT", "local"),
        ):
            record(memory, text, id=id, kind=kind, scope=scope, agent="anna")
    return made


@pytest.fixture(scope="module")
def address(folder):
    with served(folder) as address:
        yield address


@pytest.fixture
def page(browser, address):
    """The page as it opens; whatever its console complained of fails the test."""
    yield Page(browser, address)
    refused = [each["message"] for each in browser.get_log("browser") if each["level"] == "SEVERE"]
    assert not [each for each in refused if "status of 40" not in each]


class Page:
    """What a person does with the page, each step waited for."""

    def __init__(self, browser, address):
        self.browser = browser
        browser.get(address)
        self.until(lambda: self.all(".item") or self.all("#notes *"))

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    def one(self, selector):
        self.until(lambda: self.all(selector))
        return self.all(selector)[0]

    def until(self, condition):
        from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
        from selenium.webdriver.support.ui import WebDriverWait

        wait = WebDriverWait(self.browser, ENOUGH, 0.03, ignored_exceptions=[StaleElementReferenceException])
        try:
            return wait.until(lambda _browser: condition())
        except TimeoutException as late:
            raise AssertionError(f"Not seen in {ENOUGH} s; the page: {self.all('body')[0].text}") from late

    def click(self, selector):
        self.until(lambda: self.browser.execute_async_script(STEADY, self.one(selector)))
        self.one(selector).click()

    def texts(self):
        return [each.text for each in self.all(".item .text")]

    def go(self, place):
        self.browser.execute_script("location.hash = arguments[0]", place)

    def says(self, selector, words):
        self.until(lambda: any(words in each.text for each in self.all(selector)))

    def press(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.browser).send_keys(*keys).perform()

    def write(self, selector, text):
        field = self.one(selector)
        field.clear()
        field.send_keys(text)


def state(folder, id):
    with opened(folder) as memory:
        return show(memory, id)


def test_a_search_answers_as_one_types_and_explains_its_scores(page):
    page.press("/", "reviews")
    page.until(lambda: page.texts() == ["Deploys need two reviews."])
    page.browser.execute_script("document.querySelector('.score button').focus()")
    page.says(".why", "together")
    assert "words" in page.one(".why").text


def test_filters_and_keys_narrow_and_walk(page):
    from selenium.webdriver.common.keys import Keys

    page.click("[data-key='kind FACT']")
    page.until(lambda: page.texts() == ["Cake.", "Tea is green."])
    page.press(Keys.TAB)
    page.browser.execute_script("document.activeElement.blur()")
    page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
    page.says("#detail .whole", "Tea is green.")
    page.press(Keys.ESCAPE)
    page.until(lambda: not page.all("#detail .whole"))
    assert page.browser.switch_to.active_element.get_attribute("data-id") == "tea"


def test_what_was_changed_meanwhile_is_shown_beside_and_never_overwritten(page, folder):
    page.go("#/s/local/deploy")
    page.click("[data-act=edit]")
    page.write("textarea[name=text]", "Deploys need three reviews.")
    with opened(folder, source="bob") as memory:
        update(memory, "deploy", "Deploys need one review.", tag=["theirs"])
    page.click("[type=submit]")
    page.says(".conflict .now", "Deploys need one review.")
    assert page.one(".conflict textarea").get_attribute("value") == "Deploys need three reviews."
    assert [each.text for each in page.all(".conflict mark")] == ["one review"]
    assert state(folder, "deploy").unit.text == "Deploys need one review."
    page.click("[data-act=mine]")
    page.click("[type=submit]")
    page.says("#toast", "Saved.")
    page.says("#detail .whole", "three")
    page.says(".changes .was", "Deploys need one review.")
    page.until(lambda: "Deploys need three reviews." in page.texts())
    saved = state(folder, "deploy").unit
    assert (saved.text, saved.tags) == ("Deploys need three reviews.", ["theirs"])


def test_what_is_forgotten_comes_back_with_undo(page, folder):
    before = state(folder, "cake")
    page.go("#/s/local/cake")
    page.click("[data-act=forget]")
    page.says("#toast", "Forgotten.")
    page.until(lambda: "Cake." not in page.texts())
    next(each for each in page.all("#toast button") if each.text == "Undo").click()
    page.says("#detail .whole", "Cake.")
    page.until(lambda: "Cake." in page.texts())
    assert state(folder, "cake").unit == before.unit


def test_a_statement_is_recorded_and_its_tags_are_edited(page, folder):
    page.press("n")
    page.write("textarea[name=text]", "Bread needs time.")
    page.write("[name=tags]", "food, #slow")
    page.click("[type=submit]")
    page.says("#detail .whole", "Bread needs time.")
    page.says("#detail dl", "#slow")
    id = page.browser.current_url.rpartition("/")[2]
    page.click("[data-act=edit]")
    page.write("[name=tags]", "food")
    page.click("[type=submit]")
    page.says("#toast", "Saved.")
    assert state(folder, id).unit.tags == ["food"]


def test_what_was_written_is_not_lost_by_a_key(page):
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support import expected_conditions

    page.go("#/s/local/tea")
    page.click("[data-act=edit]")
    page.write("textarea[name=text]", "Half a thought")
    page.press(Keys.ESCAPE)
    page.until(lambda: expected_conditions.alert_is_present()(page.browser)).dismiss()
    assert page.one("textarea").get_attribute("value") == "Half a thought"
    page.press(Keys.ESCAPE)
    page.until(lambda: expected_conditions.alert_is_present()(page.browser)).accept()
    page.says("#detail .whole", "Tea is green.")


def test_text_is_text_and_what_cannot_be_seen_is_named(page, folder):
    page.go("#/s/local/odd")
    page.says("#detail .whole", "<script>document.title='owned'</script> <img src=x onerror=alert(1)>")
    assert [each.text for each in page.all("#detail .whole .hidden-sign")] == ["ESC", "RLO"]
    assert page.browser.title != "owned" and not page.all("main script, main img")
    page.click("[data-act=edit]")
    assert page.one("textarea").get_attribute("value") == ODD
    page.write("[name=tags]", "seen")
    page.click("[type=submit]")
    page.says("#toast", "Saved.")
    assert (state(folder, "odd").unit.text, state(folder, "odd").unit.tags) == (ODD, ["seen"])


def test_the_other_views_show_what_they_name(page):
    page.go("#/handoff")
    page.write("#page textarea", "Go on with the parser.")
    page.click("#page [type=submit]")
    page.says("#page .whole", "Go on with the parser.")
    page.go("#/markdown")
    page.says("#page .document", "# MEMORY")
    page.go("#/history")
    page.says("#page .changes", "Go on with the parser.")
    page.go("#/health")
    page.says("#page", "All is well")
    assert {each.text for each in page.all("#page h3")} == {"Local", "Global"}


def test_the_graph_is_moved_through_and_opens_what_is_clicked(page, folder):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    with opened(folder) as memory:
        link(memory, "deploy", "tea", type="supports")
    page.go("#/graph")
    page.until(lambda: len(page.all(".graph .node")) >= 2 and page.all(".graph .edge[data-type=supports]"))
    node = page.one(".graph [data-id=tea]")
    where = node.get_dom_attribute("transform")
    ActionChains(page.browser).drag_and_drop_by_offset(page.one(".graph [data-id=tea] circle"), 40, 30).perform()
    page.until(lambda: node.get_dom_attribute("transform") != where)
    assert page.browser.current_url.endswith("#/graph")
    picture = page.one(".graph svg")
    before = picture.get_dom_attribute("viewBox")
    page.browser.execute_script("arguments[0].focus()", picture)
    page.press("-", Keys.ARROW_RIGHT)
    page.until(lambda: picture.get_dom_attribute("viewBox") != before)
    page.click(".graph [data-id=tea] circle")
    page.says("#detail .links", "Deploys need")
    page.go("#/graph")
    page.write(".graph input", "nothing of the kind")
    page.click(".graph [type=submit]")
    page.says("#graph-said", "No statement")


def test_on_a_phone_nothing_is_wider_than_the_screen(page):
    phone = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        for place in ("#/", "#/s/local/odd", "#/new", "#/graph", "#/history", "#/markdown", "#/health"):
            page.go(place)
            page.until(lambda: page.browser.execute_script("return document.documentElement.scrollWidth <= 360"))
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        page.until(lambda: page.browser.execute_script("return innerWidth > 1000"))


def test_ten_thousand_statements_come_a_page_at_a_time(browser, tmp_path):
    roots(tmp_path)
    with (
        opened(tmp_path) as memory,
        journal.writing(memory.store("local"), "import", Who("t", "t"), memory.now) as made,
    ):
        for number in range(10_000):
            text = f"Statement {number} of ten thousand." + " It is about the harbour." * (number == 77)
            intake.take(made, intake.draft(memory, text, kind="FACT").statement)
    with served(tmp_path) as address:
        page = Page(browser, address)
        assert (len(page.all(".item")), page.one("#count").text) == (50, "1–50 of 10,000")
        page.click("#next")
        page.until(lambda: page.one("#count").text == "51–100 of 10,000")
        assert page.texts()[0] == "Statement 9949 of ten thousand."
        page.press("/", "harbour")
        page.until(lambda: any("Statement 77 " in each for each in page.texts()))
