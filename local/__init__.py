"""The local cloud: an emulator of AWS on this machine, and the real deployment onto it."""
