from pathlib import Path

import pytest

from local.logs import reason

# What the CDK's command line, the app and the emulator wrote when these things went wrong.
LOGS = {
    "an exception in the app": (
        """Traceback (most recent call last):
  File "/project/app.py", line 9, in <module>
    add_stacks(app)
stacks.settings.SettingsError: context stage='test': must be one of prod, dev
python3 app.py: Subprocess exited with error 1
""",
        "stacks.settings.SettingsError: context stage='test': must be one of prod, dev",
    ),
    "an error annotation": (
        """program.js:1:5591
ERROR the stage is unknown (Construct Annotations)
   SingleTable-dev
   Rule Annotation::error-annotation
Synthesis finished with errors
""",
        "the stage is unknown (Construct Annotations)",
    ),
    "a template that CloudFormation refuses": (
        """SingleTable-dev: creating stack...
❌  SingleTable-dev failed to deploy
‣ ValidationError: Template format error: Unrecognized resource types: [AWS::No::Such]
""",
        "ValidationError: Template format error: Unrecognized resource types: [AWS::No::Such]",
    ),
    "a resource that cannot be made": (
        """\
A-dev |   0 | 11:09:26 AM | UPDATE_IN_PROGRESS      | AWS::CloudFormation::Stack | A-dev
A-dev |   1 | 11:09:26 AM | UPDATE_ROLLBACK_COMPLET | AWS::CloudFormation::Stack | A-dev
A-dev |   2 | 11:09:26 AM | CREATE_FAILED | AWS::IAM::Role | R Resource creation cancelled
A-dev |   2 | 11:09:26 AM | UPDATE_FAILED | AWS::CloudFormation::Stack | A-dev No such export
❌  A-dev failed to deploy
‣ DeploymentError: The stack named A-dev failed to deploy: ROLLBACK_COMPLETE
""",
        "A-dev No such export",
    ),
    "no connection": (
        """ ⏳  Bootstrapping environment aws://000000000000/eu-x...
 ❌  Environment aws://000000000000/eu-x failed bootstrapping: Error: connect ECONNREFUSED
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1864:16) {
  errno: -111,
}
""",
        "Error: connect ECONNREFUSED",
    ),
    "a module that is missing": (
        "/project/.venv/bin/python: No module named seed\n\n",
        "/project/.venv/bin/python: No module named seed",
    ),
    "a seed that finds no table": (
        "U-001\nerror: no table Table-1\n",
        "no table Table-1",
    ),
    "silence": ("", "it did not say why"),
}


@pytest.mark.parametrize(("text", "expected"), LOGS.values(), ids=LOGS.keys())
def test_the_reason_is_the_line_that_says_why(text: str, expected: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(text, "utf-8")
    assert reason(log) == expected


def test_bytes_that_are_no_text_do_not_hide_the_reason(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"\xff\xfe\nERROR: port in use\n")
    assert reason(log) == "port in use"
