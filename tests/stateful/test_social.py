"""Any sequence of joining, following and unfollowing, and the counts are still right."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize

from lambdas.design import social
from lambdas.design.pattern import AccessPattern
from tests.stateful.machine import KEYS, Machine, run, step
from tests.stateful.people import IDS, People
from tests.stateful.service import Answer, Service

PEOPLE = st.sampled_from(IDS)
NAMES = st.sampled_from(["Ann", "Änne"])


class SocialMachine(Machine):
    """People, and who follows whom."""

    def __init__(self, service: Service) -> None:
        self.people = People(service.clock)
        super().__init__(service, self.people)

    @initialize()
    def two_know_each_other(self) -> None:
        self.somebody_joins("ann", "Ann", None)
        self.somebody_joins("ann2", "Ann", "key-1")
        self.somebody_joins("Ann", "Änne", None)
        self.one_follows_another("ann", "ann2")

    @step(person=PEOPLE, name=NAMES, key=KEYS)
    def somebody_joins(self, person: str, name: str, key: str | None) -> None:
        body = {"PersonId": person, "Name": name}
        answer = self.service.ask(social.CREATE_PERSON, {}, body, {"Idempotency-Key": key})
        self.agree(answer, self.people.join(person, name, key))

    @step(follower=PEOPLE, followee=PEOPLE)
    def one_follows_another(self, follower: str, followee: str) -> None:
        answer = self._ask_of_both(social.FOLLOW, follower, followee)
        self.agree(answer, self.people.follow(follower, followee))

    @step(follower=PEOPLE, followee=PEOPLE)
    def one_no_longer_follows_another(self, follower: str, followee: str) -> None:
        answer = self._ask_of_both(social.UNFOLLOW, follower, followee)
        self.agree(answer, self.people.unfollow(follower, followee))

    @step(seconds=st.sampled_from([1, 3600, 90_000]))
    def time_passes(self, seconds: int) -> None:
        self.service.clock.advance(seconds)

    def _ask_of_both(self, pattern: AccessPattern, follower: str, followee: str) -> Answer:
        return self.service.ask(pattern, {"person_id": follower, "followee_id": followee})


def test_whoever_follows_whom_both_sides_and_both_counts_agree(service: Service) -> None:
    run(SocialMachine, service)
