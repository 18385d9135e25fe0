"""Generated sequences of writes, and after each of them every read, against a plain model."""
