"""onehop for Spack, from a checkout: `spack dev-build onehop@develop` in the root of it, once this
file lies in a repository of yours as packages/onehop/package.py."""

from spack.package import PythonPackage, depends_on, license, variant, version


class Onehop(PythonPackage):
    """One-sided, one-hop communication for lattice codes: puts, halos, lattice QCD, and machines
    in virtual time."""

    license("Apache-2.0")

    version("develop")

    variant("cuda", default=False, description="Build the CUDA module")
    variant("mpi", default=True, description="Build the MPI transports")
    variant("plot", default=False, description="Pictures and reports")
    variant("hdf5", default=False, description="HDF5 files")

    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("ninja", type="build")
    depends_on("py-scikit-build-core@0.11:", type="build")
    depends_on("py-nanobind@3.1:", type="build")
    depends_on("py-hatch-fancy-pypi-readme@23.2:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")

    depends_on("python@3.10:", type=("build", "link", "run"))
    depends_on("py-click@8.5:", type=("build", "run"))
    depends_on("py-numpy@1.24:", type=("build", "run"))
    depends_on("py-rich@13:", type=("build", "run"))
    depends_on("py-pydantic@2.7:", type=("build", "run"))
    depends_on("py-tomlkit@0.12:", type=("build", "run"))
    depends_on("py-tomli@2:", when="^python@:3.10", type=("build", "run"))
    depends_on("py-matplotlib@3.7:", when="+plot", type="run")
    depends_on("py-scipy@1.10:", when="+plot", type="run")
    depends_on("py-jinja2@3.1:", when="+plot", type="run")
    depends_on("py-h5py@3.8:", when="+hdf5", type="run")
    depends_on("mpi", when="+mpi", type=("build", "run"))
    depends_on("cuda@12:", when="+cuda", type=("build", "run"))

    def setup_build_environment(self, env):
        """Kernels of several instruction sets, chosen at run time, whatever Spack's target is."""
        env.set("ONEHOP_ISA", "portable")
        env.set("ONEHOP_CUDA", self._on_or_off("+cuda"))
        env.set("ONEHOP_MPI", self._on_or_off("+mpi"))

    def config_settings(self, spec, prefix):
        """A package for one version of Python needs no nanobind-backend, which serves all."""
        return {"wheel.py-api": ""}

    def _on_or_off(self, wanted):
        return "ON" if self.spec.satisfies(wanted) else "OFF"
