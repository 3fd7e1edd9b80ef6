"""A map of gaits: speed over frequency and spatial frequency in three media, by a sweep that can be resumed."""

import serpenoid as sp
from serpenoid.plotting.sweeps import overview

# A second run resumes the sweep. The command is `serpenoid sweep slither --over ... --out gaits.zarr`.
scenario = sp.scenarios.find_scenario("slither")(step=0.002)
over = {
    "gait.frequency": "log:0.5:8:9",
    "gait.spatial_frequency": "0:4pi:9",
    "world.medium": ["dry", "viscous", "fluid"],
}
found = sp.sweep(scenario, over, "gaits.zarr")
print(found.speed.max(["gait.frequency", "gait.spatial_frequency"]).to_series())

# Find the Pareto front of speed and power, and run its fastest cell again.
front = sp.sweeps.front("gaits.zarr", "speed", "power")
cell = {name: values[-1] for name, values in front.fields.items()}
alone = sp.sweeps.cell_scenario("gaits.zarr", cell)
print("fastest on the front:", cell, "alone:", alone.summary(alone.run())["speed"].value, "m/s")
print("picture:", overview("gaits.zarr", "gaits.png"))
