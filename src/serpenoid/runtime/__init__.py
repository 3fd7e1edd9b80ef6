"""Running a controller on a plant: loop, plants, clock, events, stop rules."""
