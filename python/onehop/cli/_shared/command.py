"""A command whose work is imported late and whose output files are checked early."""

import importlib
import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from onehop.cli._shared.option import Options, shown_name
from onehop.cli._shared.values import Extents, File
from onehop.nearest import nearest


class Command(click.Command):
    """`onehop NAME`, which calls `run(options, words)` of the module `work`.

    `options` has an attribute for each of `params`; `words` are those of the command line, with
    which ranks can be started. `run` returns the exit status. The code that loads a command sets
    `help` and `work`. `makes` is the parameter that names a folder which the command makes itself,
    and in which it checks whether files can be written.
    """

    work: str

    def __init__(
        self,
        name: str,
        params: list[click.Parameter],
        *,
        usage: str,
        notes: str = "",
        examples: Sequence[str] = (),
        makes: str | None = None,
        **settings: object,
    ) -> None:
        names = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
        context = {**names, "show_default": True, **settings}
        super().__init__(name, context, params=params, epilog=notes)
        self.usage, self._examples, self._makes = usage, examples, makes

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, self._with_extents_joined(args))
        if not ctx.resilient_parsing:
            self._refuse_foreign(ctx)
        return rest

    def _refuse_foreign(self, ctx: click.Context) -> None:
        """Refuses options that do not belong to the chosen word, or that would be ignored
        without another option."""
        choosing = [p for p in self.params if isinstance(p, click.Argument) and _has_choices(p)]
        chosen = ctx.params[choosing[0].name] if choosing else None
        for param in self.params:
            of = getattr(param, "of", ())
            given = ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE
            if of and given and chosen not in of:
                instead = f", not {chosen}" if chosen else ""
                words = " and ".join(filter(None, (", ".join(of[:-1]), of[-1])))
                raise click.ClickException(f"{shown_name(param)} is for {words}{instead}")
            needs = getattr(param, "needs", None)
            if needs and given and not ctx.params[_attribute(needs)]:
                name = shown_name(param)
                raise click.ClickException(
                    f"{name} is for {needs}; give {needs} too, or leave {name} out"
                )

    def _with_extents_joined(self, words: list[str]) -> list[str]:
        """Joins extents after an option that takes them: 8 8 8 16 becomes 8x8x8x16."""
        taking = {n for p in self.params if isinstance(p.type, Extents) for n in p.opts}
        joined: list[str] = []
        rest = list(words)
        while rest:
            numbers = list(itertools.takewhile(str.isdecimal, rest[:4]))
            if numbers and joined and joined[-1] in taking:
                joined.append("x".join(numbers))
                del rest[: len(numbers)]
            else:
                joined.append(rest.pop(0))
        return joined

    def invoke(self, ctx: click.Context) -> int:
        """Runs the command; whatever can be refused about files is refused before any rank
        starts."""
        from onehop import extras, launch, output
        from onehop.cli._shared import blas_threads

        extras.require(ctx.command_path.split()[1])
        inputs, outputs = self._files(ctx.params)
        names = {option: name for option, (name, _) in outputs.items()}
        output.check_distinct(inputs, names)
        for option, (name, kind) in outputs.items():
            extras.require(option)
            folder = ctx.params[self._makes] if self._makes else None
            if folder is None or not _will_be_in(name, folder):
                output.check_writable(name)
            if kind.is_picture:
                _check_ending(option, name)
            if kind.replaces == "nothing" and not ctx.params["force"]:
                output.check_unused(name)
            elif kind.replaces == "results":
                _check_is_result(option, name)
        options = Options(**{p.name: ctx.params[p.name] for p in self.params})
        with blas_threads.one_thread():
            work = importlib.import_module(self.work)
        try:
            return work.run(options, ctx.obj)
        finally:
            if launch.rank_and_size() is None:
                output.remove_partial(*names.values())

    def _files(self, values: dict) -> tuple[list[str], dict[str, tuple[str, File]]]:
        """Returns the names of files to read, and by option those to write with their types."""
        inputs: list[str] = []
        outputs = {}
        for param in self.params:
            value = values[param.name]
            if value and isinstance(param.type, File):
                if param.type.is_output:
                    outputs[shown_name(param)] = value, param.type
                else:
                    inputs += [value] if isinstance(value, str) else value
        return inputs, outputs

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, self.usage)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        if self._examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {example}\n" for example in self._examples))


def _will_be_in(name: str, folder: str) -> bool:
    """Returns whether a file is to lie in a folder that is not there yet."""
    return not Path(folder).exists() and Path(name).parent.resolve() == Path(folder).resolve()


def _check_ending(option: str, name: str) -> None:
    if name.rpartition(".")[2].lower() not in ("png", "pdf", "svg"):
        raise click.ClickException(f"{option} {name}: the name must end in .png, .pdf or .svg")


def _check_is_result(option: str, name: str) -> None:
    """Refuses to replace, by a result, a file from which other runs continue."""
    from onehop.lattice_files.contents import holds_field

    if name == "-" or not Path(name).exists():
        return
    lost = "links, a propagator or eigenvectors" if holds_field(name) else None
    if _is_history(name):
        lost = f"the history of {Path(name).stem}, which generate --continue needs"
    if lost is not None:
        raise click.ClickException(f"{option} {name} would replace {lost}; give another name")


def _is_history(name: str) -> bool:
    """Returns whether `onehop generate` has written the file beside its configuration."""
    try:
        is_beside = name.endswith(".json") and Path(name).with_suffix("").exists()
        return is_beside and json.loads(Path(name).read_text())["command"] == "generate"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def _attribute(name: str) -> str:
    """Returns the attribute of the options for a name such as --site-bytes or CONFIG."""
    return name.lstrip("-").replace("-", "_").lower()


def _has_choices(param: click.Parameter) -> bool:
    return isinstance(param.type, click.Choice)


def one_line(error: click.ClickException) -> str:
    """Returns what is wrong with a command line, and the name that was probably meant."""
    if not isinstance(error, click.UsageError):
        return error.format_message()
    ctx = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption):
        options = (p for p in ctx.command.get_params(ctx) if not isinstance(p, click.Argument))
        known = [name for param in options for name in param.opts]
        hint = nearest(error.option_name, known) or "; see --help"
        return f"unknown option {error.option_name} of {ctx.command_path}{hint}"
    if isinstance(error, click.MissingParameter):
        names, _ = error.param.get_help_record(ctx)
        return f"{ctx.command_path} needs {names}: {error.param.help.rstrip('.')}"
    if isinstance(error, click.BadParameter) and error.param is not None:
        return f"{shown_name(error.param)}: {error.message}"
    where = f"{ctx.command_path}: " if ctx is not None else ""
    if "unexpected extra argument" in error.format_message() and isinstance(ctx.command, Command):
        message = error.format_message().rstrip(".")
        return f"{where}{message}; the usage is {ctx.command_path} {ctx.command.usage}"
    return f"{where}{error.format_message().rstrip('.')}; see --help"
