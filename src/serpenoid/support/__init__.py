"""Shared utilities: files, interrupts, versions and checks."""
