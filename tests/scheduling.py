"""How a parallel run shares the tests out among the processors."""

from __future__ import annotations

from pathlib import PurePosixPath

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

TOGETHER = [PurePosixPath("tests") / name for name in ("e2e", "docs", "stacks")]
"""The tests in each folder here and below share what takes long to make: a local cloud, what the
handlers answer to all examples, synthesized stacks."""


class ByFileOrFolder(LoadFileScheduling):  # type: ignore[misc]  # xdist declares no types
    """Gives a file to whichever process is free, and the files of some folders to the same one."""

    def _split_scope(self, nodeid: str) -> str:
        file = PurePosixPath(super()._split_scope(nodeid))
        return str(file.parent if any(map(file.is_relative_to, TOGETHER)) else file)
