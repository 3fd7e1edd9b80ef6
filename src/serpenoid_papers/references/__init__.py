"""Reference implementations: slow, obvious integrators that kernels are compared with."""
