"""Reference implementations: slow, simple integrators that kernels are compared with."""
