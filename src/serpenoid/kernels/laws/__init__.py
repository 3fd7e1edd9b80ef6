"""Compiled control laws."""
