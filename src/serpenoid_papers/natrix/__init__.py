"""The NATRIX paper (Xie, Herault, Lebastard, Boyer): one file a figure, a table or an answer to its open questions."""
