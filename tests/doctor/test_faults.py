from tests.doctor.conftest import Doctor, Stored


def test_clean(stored: Stored, doctor: Doctor) -> None:
    said = doctor()
    assert said.report == {}
