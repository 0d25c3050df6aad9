"""What a build reads: no name out of a file can break the XML or the command that holds it."""

from xml.etree import ElementTree

from archcount.show.builds import Element, case, document, failure, suite, workflow_command


def test_control_characters_leave_the_xml_whole() -> None:
    suites = Element("testsuites")
    within = suite(suites, "a\x00b", tests=1, failures=1)
    failure(case(within, "m\x1b[2J", "name\x07", {"file": "f\x02.json"}), "said\x01")
    read = ElementTree.fromstring(document(suites))
    found = read.find("testsuite/testcase")
    assert found is not None
    assert (found.get("classname"), found.get("name")) == ("m\ufffd[2J", "name\ufffd")
    assert found.get("file") == "f\ufffd.json"
    assert read.find("testsuite/testcase/failure") is not None


def test_a_command_stays_on_one_line() -> None:
    line = workflow_command("error", "model: a, b", "first\nsecond 100%", file="a:b.toml", line=3)
    assert line == "::error file=a%3Ab.toml,line=3,title=model%3A a%2C b::first%0Asecond 100%25"


def test_a_line_without_a_file_is_left_out() -> None:
    assert workflow_command("notice", "title", "said", line=3) == "::notice title=title::said"
