"""What a write does where its declaration does not say it all: one function a pattern."""
