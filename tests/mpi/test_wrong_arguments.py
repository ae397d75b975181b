"""Every function that is given a wrong argument returns an error of the class of that argument, and
tells the error handler of the object that it was called for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from onehop import mpi_abi

HERE = Path(__file__).parent
MPICC = Path(sys.executable).with_name("mpicc_abi")

pytestmark = pytest.mark.skipif(
    not MPICC.exists(), reason="no mpicc_abi beside this Python: pip install 'mpich>=5'"
)

CLASSES = {
    "MPI_Comm": ("comm", "MPI_ERR_COMM"),
    "MPI_Group": ("group", "MPI_ERR_GROUP"),
    "MPI_Datatype": ("type", "MPI_ERR_TYPE"),
    "MPI_Op": ("op", "MPI_ERR_OP"),
    "MPI_Win": ("win", "MPI_ERR_WIN"),
    "MPI_File": ("file", "MPI_ERR_FILE"),
    "MPI_Session": ("session", "MPI_ERR_SESSION"),
    "MPI_Info": ("info", "MPI_ERR_INFO"),
    "MPI_Errhandler": ("errhandler", "MPI_ERR_ERRHANDLER"),
    "MPI_Request": ("request", "MPI_ERR_REQUEST"),
    "MPI_Message": ("message", "MPI_ERR_REQUEST"),
}
# Functions that end the rank or MPI, that are older than error codes, or have no errors.
LEFT_OUT = re.compile(
    r"MPI_(T_\w+|Abort|Finalize|Init|Init_thread|Pcontrol|\w+_(to|from)int|Wtime)$"
)
# Results that a caller may leave out, and edges of a graph, which may have none.
OPTIONAL = {"status", "array_of_statuses", "provided", "argc", "argv"}
EDGES_OF_A_MAP = ("MPI_Graph_map", "edges")
# Values of arguments that are no handles, by their names, and otherwise by their types.
BY_NAME = {
    **dict.fromkeys(("root", "dest", "source", "rank", "target_rank", "tag"), "0"),
    **dict.fromkeys(("sendtag", "recvtag", "direction", "which", "n_which", "leader"), "0"),
    **dict.fromkeys(("local_leader", "remote_leader", "partition", "target_disp", "offset"), "0"),
    "n": "1",
    "order": "MPI_ORDER_C",
    "split_type": "MPI_COMM_TYPE_SHARED",
    "amode": "MPI_MODE_RDWR",
    "whence": "MPI_SEEK_SET",
    "lock_type": "MPI_LOCK_SHARED",
    "errorcode": "MPI_ERR_OTHER",
    "errorclass": "MPI_ERR_OTHER",
    "typeclass": "MPI_TYPECLASS_INTEGER",
    "size": "1",
    "datarep": '"native"',
    "ranges": "range",
    "array_of_distribs": "block",
    "array_of_dargs": "usual",
    "filename": "path",
}
ZEROS = re.compile(r"displs|starts|coords|ranks|neighbors|sources|destinations|edges|displacements")
# The communicator that functions of one kind are for.
GRIDS = re.compile(r"MPI_(Cart|Ineighbor|Neighbor)")


def prototypes():
    """Returns the parameters of each function that the library has, as types and names."""
    header = (MPICC.parents[1] / "include" / "mpi_abi.h").read_text()
    there = mpi_abi.written()
    for name, words in re.findall(r"^int (MPI_\w+)\((.*?)\);", header, re.MULTILINE):
        if name in there and not LEFT_OUT.match(name) and words != "void":
            yield name, [parameter(word) for word in words.split(", ")]


def parameter(words):
    pointer, name, array = re.fullmatch(r"(.*?)(\w+)((?:\[\d*\])*)", words).groups()
    return pointer.strip() + (" *" if array else ""), name


def value(function, kind, name):
    """Returns an argument that is right."""
    base = kind.removeprefix("const ").rstrip("* ")
    if name == "datarep" and "external" in function:
        return '"external32"'
    if name in BY_NAME and (name != "rank" or kind == "int"):
        return BY_NAME[name]
    if kind == "MPI_Comm":
        return "grid" if GRIDS.match(function) else "comm"
    if kind in CLASSES:
        return {"MPI_Request": request_for(function)}.get(kind, CLASSES[kind][0])
    if "function" in kind:
        return "NULL"
    if kind == "const char *":
        return "name"
    if kind == "const MPI_Datatype *":
        return "types"
    if kind.startswith("const") and base in ("int", "MPI_Aint", "MPI_Count"):
        numbers = "zeros" if ZEROS.search(name) else "ones"
        return numbers if base == "int" else f"(void*)large_{numbers}"
    if kind in ("void *", "const void *"):
        return "memory" if re.search(r"recv|result|inoutbuf", name) else "buffer"
    if kind == "MPI_Message *":
        return "&message"
    if "*" in kind:
        return "(void*)scratch"
    return "1"


def request_for(function):
    return {"MPI_Pready": "sent_parts", "MPI_Parrived": "received_parts"}.get(
        function, "persistent"
    )


def call(function, parameters, at, wrong):
    words = [value(function, *one) for one in parameters]
    words[at] = wrong
    return f"{function}({', '.join(words)})"


def is_needed(function, kind, name):
    """Says whether an argument is an address that must be one."""
    if name in OPTIONAL or (function, name) == EDGES_OF_A_MAP:
        return False
    if kind == "void *":
        is_result = name == "attribute_val" and "get" in function.lower()
        return is_result or name in ("baseptr", "buffer_addr")
    return "*" in kind and "void" not in kind and "function" not in kind


def told_by(function, parameters):
    """Returns the object whose error handler is told of a NULL."""
    kinds = [kind for kind, _ in parameters]
    if function.startswith(("MPI_File_open", "MPI_File_close", "MPI_File_delete")):
        return "no file"
    if re.match(r"MPI_File_(get|set)_errhandler", function):
        return "no file"
    of = {"MPI_Win": "window", "MPI_File": "file", "MPI_Session": "session"}
    for kind in kinds:
        if kind in of:
            return of[kind]
    if "MPI_Comm" in kinds:
        return "another communicator" if GRIDS.match(function) else "communicator"
    return "self"


def run(answers, tmp_path, lines):
    source = tmp_path / "wrong.c"
    text = "\n".join(
        [
            '#include "wrong_arguments.h"',
            "int main(int argc, char** argv) {",
            "  (void)argc, path = argv[1];",
            "  MPI_Init(NULL, NULL);",
            "  make_objects();",
            "  make_freed_handles();",
            "  signal(SIGSEGV, go_back), signal(SIGABRT, go_back);",
            *lines,
            '  printf("calls %d\\n", calls);',
            "  fflush(stdout), _Exit(0);",
            "}",
        ]
    )
    source.write_text(text)
    command = [MPICC, "-O0", "-w", "-I", HERE, "-o", tmp_path / "wrong", source]
    subprocess.run(command, check=True, timeout=120)
    return answers(tmp_path / "wrong", 1, tmp_path / "file")


def wrong(what, error_class, by, words):
    return f'  WRONG("{what}", {error_class}, {by}, {words});'


def test_null_for_a_result_is_an_error_that_the_object_s_handler_is_told_of(answers, tmp_path):
    lines = [
        wrong(
            f"{function}: {name}",
            "MPI_ERR_ARG",
            f'"{told_by(function, parameters)}"',
            call(function, parameters, at, "NULL"),
        )
        for function, parameters in prototypes()
        for at, (kind, name) in enumerate(parameters)
        if is_needed(function, kind, name)
    ]
    assert len(lines) > 400
    assert run(answers, tmp_path, lines) == [f"calls {len(lines)}"]


def wrong_handles(kind):
    """Handles of no object: freed, of another kind, and addresses where nothing is."""
    other = "group" if kind != "MPI_Group" else "comm"
    return {
        "freed": f"freed.{CLASSES[kind][0]}",
        "other": f"({kind}){other}",
        "zero": f"({kind})0",
        "nowhere": f"({kind})scratch",
    }


def test_a_handle_of_no_object_is_an_error_of_its_class(answers, tmp_path):
    lines = []
    for function, parameters in prototypes():
        for at, (kind, name) in enumerate(parameters):
            base = kind.removeprefix("const ").rstrip("* ")
            is_result = (
                re.search(r"new|made|_out", name) or "*" in kind and not takes(function, kind)
            )
            if base not in CLASSES or is_result:
                continue
            for how, handle in wrong_handles(base).items():
                given = f"({base}[]){{{handle}}}" if "*" in kind else handle
                words = call(function, parameters, at, given)
                what = f"{function}: {name} {how}"
                lines.append(wrong(what, CLASSES[base][1], "told", words))
    assert len(lines) > 1500
    assert run(answers, tmp_path, lines) == [f"calls {len(lines)}"]


def takes(function, kind):
    """Says whether a function reads the handles that it is given the address of."""
    if kind.startswith("const"):
        return True
    if kind == "MPI_Request *":
        return re.search(r"_(Start|Wait|Test|Request_free|Request_get|Cancel)", function)
    if kind == "MPI_Message *":
        return "recv" in function
    return re.search(r"_(free|commit|close|disconnect|Session_finalize)$", function)


@pytest.mark.parametrize("kind", ["Comm", "Type", "Win"])
def test_a_key_is_for_objects_of_one_kind(answers, tmp_path, kind):
    keys = {"Comm": "key_of_comms", "Type": "key_of_types", "Win": "key_of_wins"}
    handle = {"Comm": "comm", "Type": "type", "Win": "win"}[kind]
    others = [key for name, key in keys.items() if name != kind] + [
        "0",
        "12345",
        "MPI_KEYVAL_INVALID",
    ]
    lines = []
    for key in others:
        for call_of in (
            f"MPI_{kind}_set_attr({handle}, {key}, scratch)",
            f"MPI_{kind}_get_attr({handle}, {key}, scratch, (int*)scratch)",
            f"MPI_{kind}_delete_attr({handle}, {key})",
            f"MPI_{kind}_free_keyval((int[]){{{key}}})",
        ):
            lines.append(wrong(call_of, "MPI_ERR_KEYVAL", "told", call_of))
    own = f"MPI_{kind}_set_attr({handle}, {keys[kind]}, scratch)"
    lines.append(wrong(own, "MPI_SUCCESS", "told", own))
    assert run(answers, tmp_path, lines) == [f"calls {len(lines)}"]
