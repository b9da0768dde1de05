"""Cutting: one class of all rows, divided as long as every part meets the requirements."""
