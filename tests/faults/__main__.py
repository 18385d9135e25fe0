"""`python -m tests.faults`: lists the faults that are injected, and counts them."""

from tests.faults.cases import FAULTS, cases, summary

if __name__ == "__main__":
    for fault in FAULTS:
        count = sum(case.fault is fault for case in cases())
        print(f"{fault.answer:<14} {count:>3} patterns  {fault.name}: {fault.happens}")
    print(summary())
