"""The documents, and the programs that generate a part of them: `python -m docs.generate`."""
