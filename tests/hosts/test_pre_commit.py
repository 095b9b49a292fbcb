"""The hook of docs/ci.md, as the page prints it, installed and run by pre-commit."""

from __future__ import annotations

from tests.action.conftest import BAD, GOOD, LINEAR, ROOT, Repository
from tests.support.hosts import Host, pre_commit
from tests.support.recipes import RECIPES

ODD = "exported/odd: %0A,'ü $(touch owned).pte"


def test_commits(host: Host, repository: Repository) -> None:
    repository.put(".pre-commit-config.yaml", RECIPES["pre-commit"].encode())
    # Not judged: no commit changes it.
    repository.put("exported/known.pte", BAD)
    for suffix in ("pte", "ptd"):
        source = ROOT / "tests" / "data" / "clean" / f"external_constants.{suffix}"
        repository.put(f"data/model.{suffix}", source)
    head = repository.commit()
    pre_commit(host, repository.path, "install")

    def commit() -> tuple[int, str]:
        repository.git("add", "--all")
        done = host.run(["git", "commit", "--message=change"], repository.path)
        return done.returncode, done.stdout + done.stderr

    repository.put(ODD, LINEAR)
    repository.put("exported/model.pte", GOOD)
    code, said = commit()
    assert code == 0, said
    assert "pte-lint....." in said
    assert repository.git("rev-parse", "HEAD~1") == head

    repository.put(ODD, BAD)
    code, said = commit()
    assert code == 1
    assert "- hook id: pte-lint\n- exit code: 1\n" in said
    assert f"\n{ODD}: forward: set_input fails with NotSupported (PTE301)" in said
    assert "exported/model.pte" not in said
    assert not (repository.path / "owned").exists()
    repository.git("reset", "--quiet", "--hard")

    # A data file that changes has the program beside it judged.
    repository.put("data/model.ptd", b"cut off")
    code, said = commit()
    assert code == 1
    assert "data/model.ptd: " in said
    assert "data/model.pte: " in said
    repository.git("reset", "--quiet", "--hard")

    # Nothing of ours changes: the hook has nothing to do.
    repository.put("README.md", b"text")
    code, said = commit()
    assert code == 0
    assert "(no files to check)Skipped" in said
