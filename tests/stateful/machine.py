"""What the machines of all datasets share: how an answer, the table and the reads are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from boto3.dynamodb.types import TypeDeserializer
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from lambdas.design.entity import Entity
from lambdas.design.pattern import AccessPattern
from lambdas.runtime.items import MARK, to_item
from tests.stateful.service import Answer, Fields, Outcome, Service

BOUNDED = settings(
    max_examples=2,
    stateful_step_count=45,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow],
)
"""For the normal suite: the same few sequences every time."""

STEPS_A_READ = 3
"""After how many steps the normal suite asks all questions; what is stored is looked at after each.
A long run asks after each step, too."""

FUZZ = "fuzz"
"""The profile of hypothesis for a long run, which `conftest.py` registers."""

Read = tuple[AccessPattern, dict[str, str], Outcome]
"""A question, its parameters, and what the model answers to it."""

IF_MATCH = st.sampled_from([None, None, "right", "right", "wrong"])
"""Which version `If-Match` names, if it is sent."""

KEYS = st.sampled_from([None, None, "key-1", "key-2"])
"""An idempotency key, if one is sent; so few that they are used again."""


Method = TypeVar("Method", bound=Callable[..., None])


class Step(NamedTuple):
    """A method of a machine, and what it is called with."""

    name: str
    arguments: dict[str, Any]


class _Possible(NamedTuple):
    arguments: dict[str, st.SearchStrategy[Any]]
    weight: int


_possible: dict[Callable[..., None], _Possible] = {}


def step(weight: int = 1, **arguments: st.SearchStrategy[Any]) -> Callable[[Method], Method]:
    """Makes a method a step that a sequence may take, `weight` times as often as others.

    They are not rules of their own, because hypothesis leaves out some rules of each sequence. That
    finds more in a long run, and too little in the few sequences that a suite has time for.
    """

    def remember(method: Method) -> Method:
        _possible[method] = _Possible(arguments, weight)
        return method

    return remember


def _steps(machine: type[Any]) -> st.SearchStrategy[Step]:
    return st.one_of(
        [
            st.builds(Step, st.just(name), st.fixed_dictionaries(_possible[method].arguments))
            for name, method in vars(machine).items()
            if callable(method) and method in _possible
            for _ in range(_possible[method].weight)
        ]
    )


class Model(Protocol):
    """What the machines ask of a model."""

    def stored(self) -> Iterator[tuple[Entity, int] | Fields]:
        """Everything that the table should hold: entities with their versions, or whole items."""
        ...

    def reads(self) -> Iterator[Read]:
        """Every read pattern, with what it should answer."""
        ...


class Machine(RuleBasedStateMachine):
    """Sends each step to the service and to the model, and compares."""

    def __init__(self, service: Service, model: Model) -> None:
        super().__init__()
        service.begin_anew()
        self.service = service
        self.everything = model
        self._looks = 0

    @rule(step=st.runner().flatmap(lambda machine: _steps(type(machine))))
    def goes_on(self, step: Step) -> None:
        getattr(self, step.name)(**step.arguments)

    @rule(step=st.runner().flatmap(lambda machine: _steps(type(machine))))
    def goes_on_and_sends_it_twice(self, step: Step) -> None:
        for _ in range(2):
            getattr(self, step.name)(**step.arguments)

    def agree(self, answer: Answer, expected: Outcome) -> None:
        """The answer is what the model says."""
        assert answer.status == expected.status, (answer, expected)
        if expected.body is not None:
            assert answer.body == expected.body
        if expected.version is not None:
            assert answer.headers["ETag"] == f'"{expected.version}"'
        if expected.status in {200, 201}:
            assert answer.headers.get("Location") == expected.location
        if expected.named:
            assert answer.named == expected.named, answer.text

    def look_at(self, stored: Sequence[Fields]) -> None:
        """What else must hold of the table's items."""

    @invariant()
    def the_table_holds_what_was_written_and_each_index_what_belongs_there(self) -> None:
        expected = {}
        for each in self.everything.stored():
            item = each if isinstance(each, dict) else _item(*each)
            expected[item["PK"], item["SK"]] = item
        stored = {(item["PK"], item["SK"]): item for item in self.service.stored()}
        assert stored.keys() == expected.keys()
        for key, item in stored.items():
            item.pop(MARK, None)
            assert {name: item.get(name) for name in expected[key]} == expected[key]
            if not key[0].startswith("IDEMPOTENCY#"):
                assert item == expected[key]
        self.look_at(list(stored.values()))

    @invariant()
    def what_is_read_is_what_was_written(self) -> None:
        self._looks += 1
        if is_fuzz() or self._looks % STEPS_A_READ == 0:
            self._ask_everything()

    def teardown(self) -> None:
        self._ask_everything()

    def _ask_everything(self) -> None:
        for pattern, parameters, expected in self.everything.reads():
            answer = self.service.ask(pattern, parameters)
            assert answer.status == expected.status, (pattern.id, parameters, answer)
            if expected.body is not None:
                assert answer.body == expected.body, (pattern.id, parameters)
            if expected.version is not None:
                assert answer.headers["ETag"] == f'"{expected.version}"', (pattern.id, parameters)


def run(machine: Callable[[Service], Machine], service: Service) -> None:
    """Run a machine's sequences: those of the suite, or as many as the fuzz profile says."""
    chosen = settings.get_profile(FUZZ) if is_fuzz() else BOUNDED
    each: Any = partial(machine, service)
    run_state_machine_as_test(each, settings=chosen)


def is_fuzz() -> bool:
    return settings.get_current_profile_name() == FUZZ


def found(fields: Fields | None) -> Outcome:
    """What the read of a single item answers."""
    return Outcome(404) if fields is None else Outcome(200, fields, fields["Version"])


def listed(items: Sequence[Fields]) -> Outcome:
    """What a list answers that fits on a page."""
    return Outcome(200, {"items": list(items), "next": None})


def found_list(items: Sequence[Fields]) -> Outcome:
    """What a list answers that is one thing: with nothing in it, it does not exist."""
    return listed(items) if items else Outcome(404)


def version_of(fields: Fields | None) -> int | None:
    """The version of what is there."""
    return fields["Version"] if fields else None


def tag(which: str | None, version: int | None) -> tuple[str | None, bool]:
    """The `If-Match` to send, and whether it is the item's."""
    if which is None:
        return None, True
    matches = which == "right" and version is not None
    return f'"{version if matches else (version or 0) + 7}"', matches


def _item(entity: Entity, version: int) -> Fields:
    """The item that stands for an entity, its keys included."""
    plain = TypeDeserializer()
    stored: Any = to_item(entity)
    item = {name: plain.deserialize(value) for name, value in stored.items()}
    return {**item, "Version": version}
