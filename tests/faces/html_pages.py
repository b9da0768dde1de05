"""HTML as the tests read it: its tags, well nested, and nothing in them that runs or fetches."""

from html.parser import HTMLParser

_VOID = {"meta", "br", "img", "link", "wbr"}


class _Nesting(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.problems = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(tag)


def tags_of(html):
    """Return the tags of a well-nested page, each with its attributes."""
    nesting = _Nesting()
    nesting.feed(html)
    assert not nesting.problems
    assert not nesting.open
    return nesting.seen


def harmless_tags_of(html):
    """Return the tags of a page that runs nothing and fetches nothing."""
    tags = tags_of(html)
    assert not {"script", "img", "iframe", "link", "object"} & {tag for tag, _ in tags}
    assert not any(name.startswith("on") or name in {"src", "href"} for _, given in tags for name in given)
    assert "://" not in html
    return tags
