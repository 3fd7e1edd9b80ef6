"""What decides a jam of a slithering snake: beyond the thesis."""
