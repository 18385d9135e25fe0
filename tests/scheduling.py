"""How a parallel run shares the tests out among the processors."""

from __future__ import annotations

from pathlib import PurePosixPath

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

CLOUDS = PurePosixPath("tests/e2e")
"""Each folder here and below has a local cloud of its own, which its conftest.py deploys."""


class ByFileOrCloud(LoadFileScheduling):  # type: ignore[misc]  # xdist declares no types
    """Gives a file to whichever process is free, and the files of one cloud to the same process."""

    def _split_scope(self, nodeid: str) -> str:
        file = PurePosixPath(super()._split_scope(nodeid))
        return str(file.parent if file.is_relative_to(CLOUDS) else file)
