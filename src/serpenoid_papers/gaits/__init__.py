"""The gaits of modular snakes: what each does, what it depends on, and the claims of the SEA-snake thesis on them."""
