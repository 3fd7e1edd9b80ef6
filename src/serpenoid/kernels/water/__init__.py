"""Forces of still water on a tree."""
