"""What a command takes: texts from arguments, files and standard input, metadata, lines."""

import json

import pytest


def documents(memory, *argv):
    return json.loads(memory("list", *argv, "-o", "json").stdout)["units"]


def test_text_from_standard_input_is_kept_byte_for_byte(memory):
    text = "run `ls` or $(id), \"quoted\" and 'quoted'\n\ttabbed \\n\r\nnot * expanded"
    assert memory("record", "-", input=f"{text}\n".encode()).exit_code == 0
    assert documents(memory)[0]["text"] == text


def test_text_comes_from_a_file(memory, tmp_path):
    file = tmp_path / "note.txt"
    file.write_text("-", encoding="utf-8")
    assert memory("record", "--file", str(file)).exit_code == 0
    assert documents(memory)[0]["text"] == "-"


@pytest.mark.parametrize("argv", [[], ["tea", "--file", "x"], ["tea", "--lines"], ["--lines", "--id", "x"]])
def test_a_record_takes_its_text_from_one_place(memory, argv):
    done = memory("record", *argv, input="mint\n")
    assert done.exit_code == 2 and documents(memory) == []


def test_each_line_is_a_statement_and_a_bad_one_is_named(memory):
    done = memory("record", "--lines", "--tag", "x", input="\ufeffone\n\ntwo\u2028three\n\0\nfour\r\n".encode())
    assert (done.exit_code, len(done.stdout.splitlines())) == (1, 3)
    assert "line 4: The text holds a NUL character" in done.stderr
    assert [each["text"] for each in documents(memory, "--tag", "x")] == ["four", "two\u2028three", "one"]


def test_lines_come_from_a_file(memory, tmp_path):
    (tmp_path / "lines").write_text("one\ntwo\n", encoding="utf-8")
    assert memory("record", "--lines", "--file", str(tmp_path / "lines")).exit_code == 0
    assert len(documents(memory)) == 2


def test_metadata_is_text_in_pairs_and_anything_in_json(memory):
    memory("record", "tea", "--meta", "version=1.10", "--meta", "why=a=b", "--meta-json", '{"n": 1.10, "deep": [true]}')
    assert documents(memory)[0]["metadata"] == {"version": "1.10", "why": "a=b", "n": 1.1, "deep": [True]}
    assert len(documents(memory, "--meta", "version=1.10")) == len(documents(memory, "--meta", "n=1.1")) == 1


@pytest.mark.parametrize("argv", ["--meta novalue", "--meta =x", "--meta-json [1]", "--meta-json {"])
def test_metadata_that_cannot_be_read_is_refused(memory, argv):
    done = memory("record", "tea", *argv.split())
    assert done.exit_code == 2 and argv.split()[0] in done.stderr


def test_a_list_option_is_given_again_and_a_comma_is_a_letter(memory):
    memory("record", "tea", "--tag", "a", "-t", "b,c")
    assert documents(memory)[0]["tags"] == ["a", "b,c"]


def test_a_truth_value_has_three_states(memory):
    memory("record", "old", "--id", "old")
    memory("record", "new", "--id", "new")
    memory("update", "old", "--superseded")
    for argv, texts in (((), {"new", "old"}), (("--superseded",), {"old"}), (("--no-superseded",), {"new"})):
        assert {each["text"] for each in documents(memory, *argv)} == texts


def test_what_was_exported_is_imported_without_loss_and_once(memory, tmp_path):
    for text in ("tea", "mint\x1b[2J\nsecond line", "日本"):
        memory("record", text, "--tag", "x", "--meta", "a=1")
    lines = memory("export", "--format", "jsonl").stdout
    memory("export", "--format", "jsonl", "--to", str(tmp_path / "out.jsonl"))
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == lines
    (tmp_path / "other").mkdir()
    other = ["--storage-root", str(tmp_path / "storage2"), "--project-root", str(tmp_path / "other")]
    assert memory(*other, "import", str(tmp_path / "out.jsonl")).stdout.splitlines()[0] == "new\t3"
    assert memory(*other, "import", "-", input=lines).stdout.splitlines()[:2] == ["new\t0", "already recorded\t3"]
    assert memory(*other, "export", "--format", "jsonl").stdout == lines


def test_a_dry_import_takes_nothing_in(memory):
    done = memory("import", "-", "--dry-run", input='{"text": "tea"}\n')
    assert done.stdout.startswith("new\t1\n") and "dry run" in done.stderr
    assert documents(memory) == []


def test_a_folder_becomes_a_project_once(memory, tmp_path):
    folder = tmp_path / "new"
    folder.mkdir()
    first, second = (json.loads(memory("init", str(folder), "-o", "json").stdout) for _ in range(2))
    assert (first["created"], second["created"], first["project"]) == (True, False, str(folder))
    assert (folder / ".memory-rag/.gitignore").read_text(encoding="utf-8") == "*\n"


@pytest.mark.parametrize("argv, says", [
    (("recall", "a\udcff"), "query is not valid Unicode: at character 2 stands a byte"),
    (("list", "--tag", "\udcff"), "tag is not valid Unicode"),
    (("list", "--meta", "a=\udcff"), "meta is not valid Unicode"),
    (("list", "--meta-json", '{"a": [1]}'), "not by [1]"),
    (("list", "--meta-json", '{"a\\u0000": 1}'), "NUL"),
    (("show", "\udcff"), "id is not valid Unicode"),
    (("history", "--offset", "9" * 25), "offset is 9999999999999999999999999, a number beyond every bound"),
])  # fmt: skip
def test_what_no_store_can_hold_is_refused_by_name(memory, argv, says):
    memory("record", "tea")
    done = memory(*argv)
    assert done.exit_code == 2 and says in done.stderr, done.output


def test_a_number_of_any_size_is_a_filter(memory):
    memory("record", "many", "--meta-json", f'{{"n": {10**30}}}')
    memory("record", "few", "--meta", "n=3")
    assert [each["text"] for each in documents(memory, "--meta-json", f'{{"n": {10**30}}}')] == ["many"]
    assert documents(memory, "--meta-json", f'{{"n": {10**400}}}') == []
