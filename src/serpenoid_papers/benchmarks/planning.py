"""Planning: one iteration against crocoddyl on the same chain, whole plans, and the scaling with the links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from serpenoid.kernels.ilqr.dynamics import PlanarDynamics
from serpenoid.kernels.planar.chain import planar_model
from serpenoid.kernels.planar.samples import state_of_head
from serpenoid.kernels.reference import by_reference
from serpenoid.planning import ContactPlanner, Goal, Problem, RecedingHorizon, Torque
from serpenoid.planning.solver import RECEDING_FLOOR, Planner
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.simulation import simulate
from serpenoid.worlds import FreeSpace, PegBoard, Plane
from serpenoid.worlds.plane import MediumName
from serpenoid_papers.benchmarks.base import Row, time_interleaved

HORIZON, ITERATIONS, STEP = 25, 4, 0.01
LINKS = (5, 10, 15, 20, 30)
ORDERS = ("RK2", "RK3", "RK4")  # of crocoddyl's IntegratedActionModelRK
FINE = 256  # steps of a reference solution within a knot
SHORT_STEP = 2.0**-9  # the peers' states diverge with longer steps; all step lengths cost the same time


def rows() -> Iterator[Row]:
    """Yield ours with friction and a box; the peers on the same chain without friction, with and without a box.

    An iteration is derivatives, backward pass and forward pass. Ours counts every pass of the line search, but not the
    rollout of the guess. The peers' line search often fails here, so one pass counts. Rows of one step per knot are
    against explicit Euler, rows of equal accuracy against the lowest order whose step error is not above ours.
    """
    counts = {"fine": None, "one": 1}
    calls = {
        f"{name} {many}": iterations(PlanarSnake(), many, substeps)
        for name, substeps in counts.items()
        for many in (0, ITERATIONS)
    }
    times = time_interleaved(calls | crocoddyl_calls(), seconds=2.0, clock=process_time)
    ours = {name: (times[f"{name} {ITERATIONS}"] - times[f"{name} 0"]) / ITERATIONS for name in counts}
    for name, target in (("crocoddyl FDDP", "2"), ("crocoddyl BoxFDDP", "2")):
        theirs = times.get(name, float("nan"))
        yield Row("planning iteration, N = 25, 5 links, dry", ours["fine"], name, theirs, target)
    yield from equal_rows(ours, times)
    chains = {str(links): iterations(PlanarSnake(links=links)) for links in LINKS}
    times = {
        name: time / ITERATIONS for name, time in time_interleaved(chains, seconds=0.5, clock=process_time).items()
    }
    exponent = np.polyfit(np.log(LINKS), np.log([times[str(n)] for n in LINKS]), 1)[0]
    for links in LINKS:
        yield Row(f"planning iteration, N = 25, {links} links; ~ links^{exponent:.2f}", times[str(links)])
    yield Row(
        "plan through contact, 9 joints, N = 25 at 20 ms, 1e6 N/m, 4 iterations", contact_plan(), target="40000 us"
    )
    targets: dict[MediumName, str] = {"dry": "1500 us", "viscous": "1500 us", "fluid": "2500 us"}
    for medium, target in targets.items():
        yield Row(f"mean plan in a run at 100 Hz, {medium} (processor time)", mean_plan(medium), target=target)


def equal_rows(ours: dict[str, float], times: dict[str, float]) -> Iterator[Row]:
    """Yield the rows of like with like: one step per knot, and equal accuracy."""
    if "crocoddyl FDDP" not in times:
        return
    errors = step_errors()
    known = "planning iteration, one step per knot"
    yield Row(known, ours["one"], "crocoddyl FDDP, Euler", times["crocoddyl FDDP"], "4")
    equal = next((order for order in ORDERS if errors[order] <= errors["ours"]), ORDERS[-1])
    for order in ORDERS:
        chosen = order == equal
        name = f"planning iteration, step error {errors['ours']:.1e}" + ", equal accuracy" * chosen
        peer = f"crocoddyl FDDP, {order}, step error {errors[order]:.1e}"
        yield Row(name, ours["fine"], peer, times[f"crocoddyl FDDP {order}"], "5" if chosen else "")


def step_errors(count: int = 20) -> dict[str, float]:
    """Return the rms error of joint rates after one step [rad/s], without friction: ours and the peer's by order.

    Each is compared with its own fine steps from the same bent and moving snakes under torques.
    """
    robot, rng = PlanarSnake(), np.random.default_rng(3)
    joints = robot.joints
    found: dict[str, list[np.ndarray]] = {}
    for _ in range(count):
        angles, rates, torque = 0.3 * rng.normal(size=joints), 3.0 * rng.normal(size=joints), rng.uniform(-1, 1, joints)
        for name, error in (our_step_error(robot, angles, rates, torque) | peer_errors(angles, rates, torque)).items():
            found.setdefault(name, []).append(error)
    return {name: float(np.sqrt(np.mean(np.square(errors)))) for name, errors in found.items()}


def our_step_error(
    robot: PlanarSnake, angles: np.ndarray, rates: np.ndarray, torque: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the error of the joint rates after one knot's substeps."""
    chain = robot.chain()
    model = planar_model(chain, FreeSpace().medium_record(chain))
    planner = Planner(Problem(robot, Plane("dry"), Torque(), 1))
    still = np.zeros(3)
    state = state_of_head(
        model.shift, np.concatenate([still, angles]), np.concatenate([still, rates]), 2 * robot.links + 4
    )

    def after(substeps: int) -> np.ndarray:
        dynamics = PlanarDynamics(model, STEP, substeps, 0)
        planner.referred = by_reference(dynamics), planner.referred[1]
        return planner.predict(state, torque[None])[-robot.joints :]

    return {"ours": after(planner.dynamics.substeps) - after(FINE)}


def peer_errors(angles: np.ndarray, rates: np.ndarray, torque: np.ndarray) -> dict[str, np.ndarray]:
    """Return the errors of the joint rates after one step of crocoddyl's integrators."""
    joints = angles.size
    problem, _ = crocoddyl_problem(PlanarSnake())
    dynamics = problem.runningModels[0].differential
    start = np.concatenate([[0.0, 0.0, 1.0, 0.0], angles, np.zeros(3), rates])

    def after(order: str, steps: int) -> np.ndarray:
        action, state = integrated(dynamics, order, STEP / steps), start
        data = action.createData()
        for _ in range(steps):
            action.calc(data, state, torque)
            state = data.xnext.copy()
        return state[-joints:]

    exact = after("RK4", FINE)
    return {order: after(order, 1) - exact for order in ("Euler", *ORDERS)}


def integrated(dynamics: Any, order: str, step: float) -> Any:
    """Return crocoddyl's action of one step by an integrator."""
    import crocoddyl

    if order == "Euler":
        return crocoddyl.IntegratedActionModelEuler(dynamics, step)
    kinds = dict(zip(ORDERS, (crocoddyl.RKType.two, crocoddyl.RKType.three, crocoddyl.RKType.four)))
    return crocoddyl.IntegratedActionModelRK(dynamics, kinds[order], step)


def contact_plan() -> float:
    """Return the mean processor time of a plan of the contact planner over 1 s among pegs, without waves [us]."""
    run = SlitherPegs(world=PegBoard(seed=5), controller=ContactPlanner(samples=0), duration=1.0).run()
    return 1e6 * float(np.nanmean(run["solve_processor_time"]))


def mean_plan(medium: MediumName) -> float:
    """Return the mean processor time of a plan over 3 s of a receding-horizon run [us]."""
    robot, world = PlanarSnake(), Plane(medium)
    controller = RecedingHorizon(Problem(robot, world, Goal((-20.0, 0.0)) + Torque(), HORIZON))
    run = simulate(robot, world, controller, 3.0)
    return 1e6 * float(np.nanmean(run["solve_processor_time"]))


def bend_joints(links: int) -> tuple[np.ndarray, np.ndarray]:
    """Return joint angles and a guess of torques, the same for all contestants."""
    rng = np.random.default_rng(1)
    return 0.2 * rng.normal(size=links - 1), 0.1 * rng.normal(size=(HORIZON, links - 1))


def iterations(robot: PlanarSnake, count: int = ITERATIONS, substeps: int | None = None) -> Callable[[], Any]:
    """Return a call that rolls out a guess and makes `count` iterations, from a bent snake at rest.

    substeps: per knot, if not those of the planner.
    """
    planner = Planner(Problem(robot, Plane("dry"), Goal((-20.0, 0.0)) + Torque(), HORIZON), RECEDING_FLOOR)
    if substeps is not None:
        planner.referred = by_reference(planner.dynamics._replace(substeps=substeps)), planner.referred[1]
    angles, guess = bend_joints(robot.links)
    state = np.concatenate([np.zeros(3), angles, np.zeros(robot.links + 2)])

    def call() -> Any:
        planner.guess(guess)
        planner.work.memory[:] = (RECEDING_FLOOR, 1.0, 1.0)
        return planner.solve(state, 0.0, count, np.inf, 0.0)

    return call


def crocoddyl_calls() -> dict[str, Callable[[], Any]]:
    """Return the peers' calls, each one iteration with one forward pass; empty if crocoddyl is not installed."""
    try:
        import crocoddyl
    except ImportError:
        return {}

    def iteration(solver: Any) -> None:
        solver.computeDirection(True)  # derivatives and backward pass
        solver.tryStep(SHORT_STEP)  # forward pass

    calls: dict[str, Callable[[], Any]] = {}
    contestants = [("FDDP", "Euler"), ("BoxFDDP", "Euler"), *(("FDDP", order) for order in ORDERS)]
    for name, order in contestants:
        problem, guess = crocoddyl_problem(PlanarSnake(), order)
        start = problem.rollout(guess)
        solver = getattr(crocoddyl, f"Solver{name}")(problem)
        solver.th_stop = 1e-30
        solver.solve(start, guess, 1, True)  # a solver rolls out again before its first iteration ends
        solver.setCandidate(start, guess, True)
        calls[f"crocoddyl {name}" + f" {order}" * (order != "Euler")] = partial(iteration, solver)
    return calls


def crocoddyl_problem(robot: PlanarSnake, order: str = "Euler") -> tuple[Any, list[np.ndarray]]:
    """Return the chain on a planar base without friction, with the same horizon, step, torques and goal."""
    import crocoddyl
    import pinocchio

    model = pinocchio_chain(robot)
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFloatingBase(state)

    def knot(final: bool) -> Any:
        costs = crocoddyl.CostModelSum(state, actuation.nu)
        frame = model.getFrameId("head")
        goal = crocoddyl.ResidualModelFrameTranslation(state, frame, np.array([-20.0, 0.0, 0.0]), actuation.nu)
        costs.addCost("goal", crocoddyl.CostModelResidual(state, goal), 0.05)
        if not final:
            effort = crocoddyl.ResidualModelControl(state, actuation.nu)
            costs.addCost("torque", crocoddyl.CostModelResidual(state, effort), 0.02)
        dynamics = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)
        action = integrated(dynamics, order, 0.0 if final else STEP)
        action.u_lb, action.u_ub = -np.ones(actuation.nu), np.ones(actuation.nu)
        return action

    angles, guess = bend_joints(robot.links)
    start = np.concatenate([pinocchio.neutral(model), np.zeros(model.nv)])
    start[4 : 4 + angles.size] = angles
    problem = crocoddyl.ShootingProblem(start, [knot(False) for _ in range(HORIZON)], knot(True))
    problem.nthreads = 1
    return problem, list(guess)


def pinocchio_chain(robot: PlanarSnake) -> Any:
    """Return the chain as a Pinocchio model; crocoddyl needs the base joint's name root_joint."""
    import pinocchio

    chain, model = robot.chain(), pinocchio.Model()
    parent, placement = 0, pinocchio.SE3.Identity()
    for k in range(robot.links):
        kind = pinocchio.JointModelRZ() if k else pinocchio.JointModelPlanar()
        parent = model.addJoint(parent, kind, placement, f"joint_{k - 1}" if k else "root_joint")
        centre = np.array([chain.center[k], 0.0, 0.0])
        inertia = pinocchio.Inertia(chain.mass[k], centre, np.diag([1e-9, chain.inertia[k], chain.inertia[k]]))
        model.appendBodyToJoint(parent, inertia, pinocchio.SE3.Identity())
        if k == 0:
            model.addFrame(pinocchio.Frame("head", parent, pinocchio.SE3.Identity(), pinocchio.FrameType.OP_FRAME))
        placement = pinocchio.SE3(np.eye(3), np.array([chain.length[k], 0.0, 0.0]))
    model.gravity.linear = np.zeros(3)
    return model
