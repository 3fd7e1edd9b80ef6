"""Stand-in for SLURM's commands that runs jobs as processes; `install` puts sbatch, srun, sacct, squeue and scancel on
the PATH.

Its state is a folder: one file per job with the state, one with the process group of its running script. A minute of
a time limit lasts SLURM_MINUTE seconds. Fault injection: SLURM_FILE_LIMIT=0 lets no job write a file.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

PARTITIONS = ("cpu", "gpu")
WARNING = 0.4  # [min] before the limit at which srun's processes receive SIGUSR2


def install(folder: Path, monkeypatch, minute: float = 1.0) -> Path:
    """Write the commands to a folder, put it first on the PATH, and return the folder of the state."""
    commands, state = folder / "bin", folder / "state"
    commands.mkdir(parents=True)
    state.mkdir()
    for name in ("sbatch", "srun", "sacct", "squeue", "scancel"):
        script = commands / name
        script.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {__file__} {name} "$@"\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_STATE", str(state))
    monkeypatch.setenv("SLURM_MINUTE", str(minute))
    return state


def states(state: Path) -> dict[str, str]:
    """Return the state of every job."""
    return {file.stem: file.read_text() for file in sorted(state.glob("*.state"))}


def running(state: Path) -> dict[str, int]:
    """Return the process group of every running job."""
    groups = {}
    for name, text in states(state).items():
        group = state / f"{name}.group"
        if text == "RUNNING" and group.exists():
            groups[name] = int(group.read_text())
    return groups


def write(state: Path, job: str, text: str) -> None:
    """Replace the state of a job in one step."""
    partial = state / f"{job}.{os.getpid()}"
    partial.write_text(text)
    partial.rename(state / f"{job}.state")


def sbatch(state: Path, script: str) -> int:
    """Queue a script and start the process that runs its jobs."""
    options = dict(re.findall(r"^#SBATCH --([\w-]+)=(.*)$", Path(script).read_text(), re.MULTILINE))
    if options.get("partition", "cpu") not in PARTITIONS:
        print("sbatch: error: invalid partition specified: " + options["partition"], file=sys.stderr)
        print("sbatch: error: Batch job submission failed: Invalid partition name specified", file=sys.stderr)
        return 1
    number = 100
    while True:
        number += 1
        try:
            (state / f"{number}.number").touch(exist_ok=False)
            break
        except FileExistsError:
            continue
    first, last, most = map(int, re.findall(r"\d+", options["array"])) if "array" in options else (0, 0, 1)
    jobs = [f"{number}_{task}" if "array" in options else f"{number}" for task in range(first, last + 1)]
    for job in jobs:
        write(state, job, "PENDING")
    words = [sys.executable, "-I", "-S", __file__, "serve", script, options["time"].strip("'"), str(most), *jobs]
    nowhere = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.Popen(words, start_new_session=True, **nowhere)
    print(f"Submitted batch job {number}")
    return 0


def serve(state: Path, script: str, minutes: str, most: str, *jobs: str) -> int:
    """Run the jobs of an array, a limited number at a time."""
    waiting, processes = list(jobs), {}
    minute = float(os.environ["SLURM_MINUTE"])
    limit = float(minutes) * minute
    while waiting or processes:
        waiting = [job for job in waiting if states_of(state, job) == "PENDING"]
        while waiting and len(processes) < int(most):
            job = waiting.pop(0)
            processes[job] = start(state, script, job), time.monotonic()
        for job, (process, since) in list(processes.items()):
            age, code = time.monotonic() - since, process.poll()
            if code is None and age > limit:
                end(state, process.pid, job, "TIMEOUT")
            elif code is None and age > limit - WARNING * minute:
                warn(state, job)
            elif code is not None:
                if states_of(state, job) == "RUNNING":
                    write(state, job, "COMPLETED" if code == 0 else "FAILED")
                del processes[job]
        time.sleep(0.02)
    return 0


def states_of(state: Path, job: str) -> str:
    """Return the state of one job."""
    return (state / f"{job}.state").read_text()


def start(state: Path, script: str, job: str) -> subprocess.Popen:
    """Start the script of a job in its own process group, with SLURM's variables."""
    array, _, task = job.partition("_")
    names = {"SLURM_JOB_ID": job.replace("_", "00"), "SLURM_NTASKS": "1", "SLURM_JOB_NUM_NODES": "1"}
    if task:
        names |= {"SLURM_ARRAY_JOB_ID": array, "SLURM_ARRAY_TASK_ID": task}
    limit = f"ulimit -f {os.environ['SLURM_FILE_LIMIT']}; " if "SLURM_FILE_LIMIT" in os.environ else ""
    words = ["/bin/bash", "-c", f"{limit}. {script}"]
    write(state, job, "RUNNING")
    nowhere = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(words, start_new_session=True, env={**os.environ, **names}, **nowhere)
    (state / f"{job}.group").write_text(str(process.pid))
    return process


def end(state: Path, group: int, job: str, text: str) -> None:
    """Set the final state of a job and kill its processes."""
    write(state, job, text)
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def warn(state: Path, job: str) -> None:
    """Send SIGUSR2 to the process that srun started, once, as `--signal=USR2@...` does."""
    step = state / f"{job}.step"
    if step.exists():
        os.kill(int(step.read_text()), signal.SIGUSR2)
        step.unlink()


def srun(state: Path, *words: str) -> int:
    """Replace this process by the command, with its output in the given files."""
    task = os.environ.get("SLURM_ARRAY_TASK_ID")
    job = f"{os.environ['SLURM_ARRAY_JOB_ID']}_{task}" if task else os.environ["SLURM_JOB_ID"]
    names = {"%A": job.partition("_")[0], "%a": task or "", "%j": job, "%t": "0"}
    files, rest = {}, list(words)
    while rest[0].startswith("--"):
        option = rest.pop(0)
        if option in ("--output", "--error"):
            files[option] = re.sub("%[Aajt]", lambda found: names[found.group()], rest.pop(0))
    if "SLURM_FILE_LIMIT" not in os.environ:
        (state / f"{job}.step").write_text(str(os.getpid()))
    for descriptor, option in ((1, "--output"), (2, "--error")):
        os.dup2(os.open(files[option], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), descriptor)
    os.execvpe(rest[0], rest, {**os.environ, "SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_NODEID": "0"})


def sacct(state: Path, *words: str) -> int:
    """Print the states of the jobs of some arrays."""
    asked = {words[i + 1] for i, word in enumerate(words) if word == "-j"}
    print("JobID|State|NodeList")
    for job, text in states(state).items():
        if job.partition("_")[0] in asked:
            print(f"{job}|{text}|stand-in")
    return 0


def squeue(state: Path, *words: str) -> int:
    """Print the jobs that have not ended."""
    for job, text in states(state).items():
        if text in ("PENDING", "RUNNING"):
            print(job, text)
    return 0


def scancel(state: Path, *asked: str) -> int:
    """Cancel all jobs of the arrays."""
    groups = running(state)
    for job, text in states(state).items():
        if (job in asked or job.partition("_")[0] in asked) and text in ("PENDING", "RUNNING"):
            end(state, groups.get(job, 2**22 + 1), job, "CANCELLED by 0")
    return 0


COMMANDS = {"sbatch": sbatch, "serve": serve, "srun": srun, "sacct": sacct, "squeue": squeue, "scancel": scancel}

if __name__ == "__main__":
    sys.exit(COMMANDS[sys.argv[1]](Path(os.environ["SLURM_STATE"]), *sys.argv[2:]))
