"""Carries a declaration out: keys, requests, cursors, items, answers. It knows no dataset."""
