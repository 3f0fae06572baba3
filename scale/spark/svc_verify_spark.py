"""Runs svc-verify on Apache Spark, for audit logs that one machine does not hold.

The program svc-verify does all the reading and judging. Spark runs it: it plans, one
task for each share of the plan writes a part, tasks join the parts in a tree, and a
last task concludes. The verdict is the same bytes as that of svc-verify on one machine.

Parts lie in a folder that all executors share, and never pass through the driver. A
task that is lost, or that cannot read or write, is tried again by Spark. Attempts at
one share write the same bytes, each under a name of its own, which is renamed at the
end: so it does not matter which one ends last, or whether two run at once.
"""

import argparse
import atexit
import ctypes
import functools
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from typing import Callable, NamedTuple, Optional, Sequence

import pyarrow
from pyspark import SparkFiles, TaskContext, cloudpickle

# The most of a program's standard error that is handed on.
SAID_LIMIT = 4096


class Failed(RuntimeError):
    """It is of no use to try again; the text says why."""


class TryAgain(RuntimeError):
    """The program could not read or write; Spark runs the task again."""


class Verdict(NamedTuple):
    """What svc-verify conclude said."""

    exit_code: int  # 0: verified; 1: rejected; 3: inconclusive
    json: bytes  # standard output, unchanged
    said: str  # the end of standard error


class Sent(NamedTuple):
    """A file that Spark brings to each executor."""

    name: str
    sha256: str

    def path(self) -> str:
        """Returns where this executor has the file, after it has checked the content."""
        path = SparkFiles.get(self.name)
        found = digest(path)
        if found != self.sha256:
            raise Failed(f"{path}: expected SHA-256 {self.sha256}, found {found}")
        return path


@dataclass(frozen=True)
class Job:
    """What each task knows. Paths are those of the executors."""

    program: Sent
    trust: Sent
    shared: str
    part_key: Optional[str]
    exec_dir: Optional[str]
    temp_dir: Optional[str]

    def file(self, *names: str) -> str:
        """Returns the path of a file in the shared folder."""
        return os.path.join(self.shared, *names)

    def part(self, level: int, index: int) -> str:
        """Returns the path of a part; level 0 is what the workers write."""
        return self.file(f"level-{level}", f"{index:06d}.part")

    def key(self) -> list[str]:
        return ["--part-key", self.part_key] if self.part_key else []

    def executable(self) -> str:
        """Returns the path of the program, which may run there and has the right digest."""
        path = self.program.path()
        if self.exec_dir:
            path = self.copied(path)
        folder = os.path.dirname(path)
        if os.statvfs(folder).f_flag & os.ST_NOEXEC:
            raise Failed(f"{folder} is mounted noexec: name another folder of the executors with --exec-dir")
        if not os.access(path, os.X_OK):
            os.chmod(path, 0o700)
        return path

    def copied(self, path: str) -> str:
        """Copies the program to the folder for it, unless it is there."""
        copy = os.path.join(self.exec_dir, self.program.name)
        if not os.path.exists(copy) or digest(copy) != self.program.sha256:
            aside = attempt_name(copy)
            shutil.copyfile(path, aside)
            os.chmod(aside, 0o700)
            os.replace(aside, copy)
        return copy

    def run(self, *arguments: str) -> Verdict:
        """Runs the program. The exit code 2 and a signal are reasons to try again."""
        ended = subprocess.run([self.executable(), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                               preexec_fn=end_with_task, check=False)
        said = ended.stderr[-SAID_LIMIT:].decode(errors="replace").strip()
        if ended.returncode == 2 or ended.returncode < 0:
            raise TryAgain(f"svc-verify {arguments[0]} ended with {ended.returncode}: {said}")
        return Verdict(ended.returncode, ended.stdout, said)

    def write(self, out: str, command: str, *arguments: str) -> Verdict:
        """Runs a command that writes a file whole or not at all, and puts it in its place."""
        os.makedirs(os.path.dirname(out), exist_ok=True)
        aside = attempt_name(out)
        ended = self.run(command, "--out", aside, *arguments)
        if os.path.exists(aside):
            os.replace(aside, out)
        return ended


def digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def attempt_name(path: str) -> str:
    """Returns a name beside the path that no other attempt has."""
    return f"{path}.attempt-{TaskContext.get().taskAttemptId()}"


def end_with_task() -> None:
    """Ends this process when the task does.

    Spark kills the Python process of a task that it gives up, such as the slower of two
    attempts, and knows nothing of the processes that it started.
    """
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def each(session, count: int, work: Callable[[int], Verdict], accept: Sequence[int] = (0,)) -> list[Verdict]:
    """Runs work(0) to work(count-1) on the executors, a task for each."""

    def task(batches):
        for batch in batches:
            for index in batch.column(0).to_pylist():
                try:
                    ended = work(index)
                except Failed as failed:
                    ended = Verdict(-1, b"", str(failed))
                yield pyarrow.RecordBatch.from_pylist([{"task": index, **ended._asdict()}], schema)

    schema = pyarrow.schema([("task", pyarrow.int64()), ("exit_code", pyarrow.int32()),
                             ("json", pyarrow.binary()), ("said", pyarrow.string())])
    rows = session.range(0, count, 1, count).mapInArrow(
        task, "task long, exit_code int, json binary, said string").collect()
    all_ended = [Verdict(row.exit_code, bytes(row.json), row.said) for row in sorted(rows, key=lambda row: row.task)]
    for index, ended in enumerate(all_ended):
        if ended.exit_code not in accept:
            raise Failed(f"task {index} of {count}: exit code {ended.exit_code}: {ended.said}")
    return all_ended


@functools.lru_cache(maxsize=None)
def outbox() -> str:
    """Returns the folder of what was sent. It stays, since executors that start later fetch from it."""
    folder = tempfile.mkdtemp(prefix="svc-verify-spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def send(session, path: str, sha256: Optional[str] = None) -> Sent:
    """Sends a file of the driver to the executors, under a name that its digest is part of.

    A path that the driver does not have is the name of a file that came with --files.
    A client of Spark Connect has no SparkContext, and nothing that came with --files.
    """
    connect = type(session).__module__.startswith("pyspark.sql.connect")
    if not connect and not os.path.exists(path):
        path = SparkFiles.get(path)
    found = digest(path)
    if sha256 and found != sha256.lower():
        raise Failed(f"{path}: expected SHA-256 {sha256}, found {found}")
    name = f"{os.path.basename(path)}-{found[:16]}"
    copy = os.path.join(outbox(), name)
    if not os.path.exists(copy):
        shutil.copyfile(path, copy)
    if connect:
        session.addArtifact(copy, file=True)
    else:
        session.sparkContext.addFile(copy)
    return Sent(name, found)


def verify(session, paths: Sequence[str], *, parts: int, trust: str, shared: str, program: str = "svc-verify",
           sha256: Optional[str] = None, part_key: Optional[str] = None, width: int = 64,
           exec_dir: Optional[str] = None, temp_dir: Optional[str] = None, plan_flags: Sequence[str] = (),
           part_flags: Sequence[str] = (), conclude_flags: Sequence[str] = ()) -> Verdict:
    """Verifies the evidence at some paths, and returns the verdict.

    The paths, shared, part_key, exec_dir and temp_dir are those of the executors; trust
    and program are files of the driver. README.md explains each.
    """
    if parts < 1 or width < 2:
        raise ValueError("expected parts from 1 and a width from 2")
    # Executors need no copy of this module: its functions are sent with the tasks.
    cloudpickle.register_pickle_by_value(sys.modules[verify.__module__])
    job = Job(send(session, program, sha256), send(session, trust), shared, part_key, exec_dir, temp_dir)
    plan = job.file("plan.json")

    def make_plan(_: int) -> Verdict:
        return job.write(plan, "plan", "--parts", str(parts), *plan_flags, *paths)

    def make_part(index: int) -> Verdict:
        # Spark removes its own folder for temporary files with the executor.
        temporary = job.temp_dir or os.environ["SPARK_LOCAL_DIRS"].split(",")[0]
        return job.write(job.part(0, index), "part", "--plan", plan, "--index", str(index), "--trust",
                         job.trust.path(), "--temp-dir", temporary, "--jobs", str(TaskContext.get().cpus()),
                         *job.key(), *part_flags)

    each(session, 1, make_plan, accept=(0, 3))  # 3: there is no source, which conclude will say
    each(session, parts, make_part)
    level, left = 0, parts
    while left > width:
        level, left = join(session, job, level, left, width)

    def conclude(_: int) -> Verdict:
        return job.run("conclude", "--trust", job.trust.path(), "--plan", plan, "--output", "json", *job.key(),
                       *conclude_flags, *(job.part(level, index) for index in range(left)))

    return each(session, 1, conclude, accept=(0, 1, 3))[0]


def join(session, job: Job, level: int, count: int, width: int) -> tuple[int, int]:
    """Joins the parts of a level in groups, and returns the next level and its size."""

    def join_group(group: int) -> Verdict:
        members = range(group * width, min((group + 1) * width, count))
        return job.write(job.part(level + 1, group), "join", *job.key(), *(job.part(level, m) for m in members))

    groups = -(-count // width)
    each(session, groups, join_group)
    return level + 1, groups


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="svc_verify_spark.py", description=__doc__.partition("\n")[0],
                                     epilog="Exit code: that of svc-verify conclude; 2 if there is no verdict.")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="evidence, as the executors see it")
    parser.add_argument("--parts", type=int, required=True, metavar="N", help="how many shares to plan")
    parser.add_argument("--trust", required=True, metavar="FILE", help="the trust file, on the driver")
    parser.add_argument("--shared", required=True, metavar="FOLDER", help="a folder that all executors share")
    parser.add_argument("--program", default="svc-verify", metavar="FILE",
                        help="svc-verify, on the driver or sent with --files")
    parser.add_argument("--sha256", metavar="HEX", help="what the digest of the program must be")
    parser.add_argument("--part-key", metavar="FILE", help="the key of parts, on each executor")
    parser.add_argument("--width", type=int, default=64, metavar="N", help="how many parts a task joins")
    parser.add_argument("--exec-dir", metavar="FOLDER", help="where executors may run programs")
    parser.add_argument("--temp-dir", metavar="FOLDER", help="where executors may put temporary files")
    for command in ("plan", "part", "conclude"):
        parser.add_argument(f"--{command}-flag", action="append", default=[], dest=f"{command}_flags",
                            metavar="FLAG", help=f"one more flag for svc-verify {command}, as --name=value")
    return parser


def main() -> int:
    options = vars(arguments().parse_args())
    try:
        from pyspark.sql import SparkSession

        verdict = verify(SparkSession.builder.appName("svc-verify").getOrCreate(), options.pop("paths"), **options)
    except Failed as failed:
        print(f"svc_verify_spark.py: {failed}", file=sys.stderr)
        return 2
    except Exception:  # pylint: disable=broad-except # The exit code 1 is a verdict.
        traceback.print_exc()
        return 2
    sys.stdout.buffer.write(verdict.json)
    sys.stdout.flush()
    if verdict.said:
        print(verdict.said, file=sys.stderr)
    return verdict.exit_code


if __name__ == "__main__":
    sys.exit(main())
