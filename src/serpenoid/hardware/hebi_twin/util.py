"""hebi.util's names: letting all groups go."""

from serpenoid.hardware.hebi_twin.network import clear_all_groups

__all__ = ["clear_all_groups"]
