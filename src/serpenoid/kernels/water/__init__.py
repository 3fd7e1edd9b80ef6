"""What still water does to a tree."""
