"""Files, interrupts, versions and checks that every part shares."""
