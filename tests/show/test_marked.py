import pytest

from dfl_bench.errors import DflBenchError
from dfl_bench.show.marked import write_between_marks

TEXT = "# Page\n\n<!-- paper a -->\nold\n<!-- end -->\n\n<!-- paper ab -->\n<!-- end -->\nlast\n"


def test_only_what_is_between_the_marks_is_replaced(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(TEXT)
    write_between_marks(path, "paper ab", "new \\1\n")
    assert path.read_text() == TEXT.replace("ab -->\n", "ab -->\nnew \\1\n")
    write_between_marks(path, "paper a", "1\n2\n")
    write_between_marks(path, "paper ab", "")
    assert path.read_text() == TEXT.replace("old\n", "1\n2\n")


def test_a_document_without_the_marks_is_left_alone(tmp_path):
    path = tmp_path / "page.md"
    for text in (TEXT, "<!-- paper b -->\nno end\n"):
        path.write_text(text)
        with pytest.raises(DflBenchError, match=r"page\.md has no place for paper b: expected a line"):
            write_between_marks(path, "paper b", "new")
        assert path.read_text() == text
