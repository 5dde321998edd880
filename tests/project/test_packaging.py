"""The distributions hold exactly what they should, and what is declared agrees with what is pinned."""

import email.message
import email.parser
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.project.checkout import IS_CHECKOUT, ROOT, project_files

SHIPPED = ("valley_core", "deathvalley_env", "riftvalley_env")
CHECKOUT_ONLY = ("agents", "training", "tests", "docs", "notebooks")
OPTIONAL = ("torch", "stable_baselines3", "sb3_contrib", "ray", "tensorboard", "PIL", "resvg_py", "starlette", "tyro")
"""Modules of the extras, which importing an environment must leave alone."""

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


class Built(NamedTuple):
    """Distributions, and the files of the project that existed during the whole build or at some time of it."""

    wheel: Path
    sdist: Path
    always: set[str]
    sometimes: set[str]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build both distributions with the installed backend, so without a network."""
    if not IS_CHECKOUT:
        pytest.skip("what belongs to the project is known only in a git checkout")
    folder = tmp_path_factory.mktemp("dist")
    before = project_files()
    command = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--sdist",
        "--wheel",
        "--outdir",
        str(folder),
        str(ROOT),
    ]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    after = project_files()
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Built(wheel, sdist, before & after, before | after)


def wheel_names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def wheel_metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.parser.Parser().parsestr(archive.read(name).decode("utf-8"))


def sdist_names(sdist: Path) -> set[str]:
    with tarfile.open(sdist) as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


def shipped(names: set[str]) -> set[str]:
    return {name for name in names if name.startswith(tuple(f"{package}/" for package in SHIPPED))}


def assert_same_files(names: set[str], always: set[str], sometimes: set[str]) -> None:
    assert always - names == set(), "files are missing"
    assert names - sometimes == set(), "files are there that should not be"


def test_wheel_holds_the_three_packages_with_their_data(built: Built) -> None:
    names = {name for name in wheel_names(built.wheel) if ".dist-info/" not in name}
    assert_same_files(names, shipped(built.always), shipped(built.sometimes))
    assert {f"{package}/py.typed" for package in SHIPPED} <= names
    assert {name.partition("/")[0] for name in names} == set(SHIPPED)


@pytest.mark.parametrize(("folder", "suffix"), [("deathvalley_env/decks", ".toml"), ("riftvalley_env/boards", "")])
def test_wheel_holds_decks_and_boards(built: Built, folder: str, suffix: str) -> None:
    assert any(name.startswith(f"{folder}/") and name.endswith(suffix) for name in wheel_names(built.wheel))


def test_sdist_holds_every_file_of_the_project(built: Built) -> None:
    names = sdist_names(built.sdist)
    assert "PKG-INFO" in names
    assert_same_files(names - {"PKG-INFO"}, built.always, built.sometimes)
    tracked_folders = {name.partition("/")[0] for name in built.always}
    assert {name.partition("/")[0] for name in names} >= tracked_folders.intersection(CHECKOUT_ONLY)


def test_wheel_is_pure_python_and_carries_the_licence(built: Built) -> None:
    assert built.wheel.name == f"valley_envs-{PROJECT['version']}-py3-none-any.whl"
    assert any(name.endswith("/licenses/LICENSE") for name in wheel_names(built.wheel))
    assert wheel_metadata(built.wheel)["License-Expression"] == "MIT"


def test_wheel_declares_dependencies_and_extras(built: Built) -> None:
    metadata = wheel_metadata(built.wheel)
    core = {Requirement(line).name for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line}
    assert core == {"numpy", "numba", "gymnasium", "pettingzoo"}
    assert set(metadata.get_all("Provides-Extra", [])) == {"measure", "train", "play", "render", "ray", "dev"}


@pytest.mark.parametrize("package", SHIPPED)
def test_package_imports_from_the_wheel_without_any_extra(built: Built, tmp_path: Path, package: str) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        archive.extractall(tmp_path)
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {package}; print({package}.__file__);"
        f"print(*sorted(set({OPTIONAL!r}) & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-I", "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    file, loaded = result.stdout.split("\n")[:2]
    assert Path(file) == tmp_path / package / "__init__.py"
    assert loaded == ""


def declared_requirements() -> list[Requirement]:
    """Return the requirements of the core and of all extras that the pinned set covers."""
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *(line for extra in extras if extra != "ray" for line in extras[extra])]
    requirements = [Requirement(line) for line in lines]
    return [requirement for requirement in requirements if requirement.name != PROJECT["name"]]


def pinned_versions() -> dict[str, str]:
    """Return the version of each pinned package; a line that pins no exact version is an error."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    for pin in pins:
        assert [specifier.operator for specifier in pin.specifier] == ["=="], f"{pin} is not pinned"
    return {canonicalize_name(pin.name): next(iter(pin.specifier)).version for pin in pins}


def test_every_requirement_is_pinned_within_its_bounds() -> None:
    pins = pinned_versions()
    for requirement in declared_requirements():
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), requirement


def test_pins_name_no_build_for_one_accelerator() -> None:
    pins = pinned_versions()
    assert not [name for name in pins if name.startswith(("nvidia", "cuda", "triton"))]
    assert not [version for version in pins.values() if "+" in version]


def test_citation_names_the_version() -> None:
    assert f"\nversion: {PROJECT['version']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
