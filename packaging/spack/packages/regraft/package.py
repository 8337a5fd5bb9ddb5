from spack.package import conflicts, depends_on, license, variant, version, when
from spack_repo.builtin.build_systems.meson import MesonPackage


class Regraft(MesonPackage):
    """Keeps the input of MPI programs in the memory of their ranks, redundantly, so that they survive the death of ranks and end with the
    same result, bit for bit. With a tree search and a compressor of alignments that are made with it."""

    # A file that `meson dist` makes. Put it there, or name its place here.
    url = "file:///opt/tarballs/regraft-0.1.0.tar.xz"

    license("MIT")

    version("0.1.0")  # without a checksum, since tarballs are made from a checkout

    variant("mpi", default=True, description="stores, snapshots and launchers, on MPI")
    variant("ulfm", default=True, when="+mpi", description="Open MPI 5.0.9, on which programs survive deaths, and its settings")
    variant("phylo", default=True, when="+mpi", description="the tree search, regraft-phylo and libregraft_search")
    variant("tools", default=True, description="regraft-msa and regraft-plan")
    variant("bench", default=False, when="+mpi", description="regraft-bench")
    variant("python", default=True, description="the Python package")

    depends_on("c", type="build", when="+mpi")  # of the shield
    depends_on("cxx", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type=("build", "run"))  # launchers, and scripts that write sources
    conflicts("%gcc@:11", msg="C++20 is needed: g++ 12 or later")

    depends_on("xxhash", type="build")  # compiled in
    depends_on("boost@1.74:", type="build")  # headers alone
    depends_on("zstd")
    depends_on("isa-l")
    depends_on("highway@1.0.3:")
    depends_on("mpi", when="+mpi")
    depends_on("openmpi@5.0.9", when="+ulfm")
    depends_on("benchmark", when="+bench")
    depends_on("nlohmann-json", type="build", when="+mpi")  # tells that the shield is built, too
    depends_on("nlopt@2.7:", when="+phylo")
    for programs in ("+phylo", "+tools"):
        with when(programs):
            depends_on("fmt@9:")
            depends_on("cli11@2.1:", type="build")
            depends_on("nlohmann-json@3.11:", type="build")
            depends_on("zlib-api")
            depends_on("bzip2")
            depends_on("xz")
    with when("+python"):
        depends_on("py-pybind11@2.12:", type="build")
        depends_on("py-numpy@1.21:", type=("build", "run"))

    def meson_args(self):
        def feature(option, wanted):
            return f"-D{option}={'enabled' if wanted else 'disabled'}"

        tools = self.spec.satisfies("+tools")
        return [feature(name, self.spec.satisfies(f"+{name}")) for name in ("mpi", "phylo", "bench", "python")] + [
            feature("msa", tools), feature("plan", tools), feature("tests", False)]

    def setup_run_environment(self, env):
        """Sets what Open MPI needs so that survivors do not hang, for jobs of mpirun --with-ft ulfm. regraft-run does it by itself."""
        if self.spec.satisfies("+ulfm"):
            env.set("OMPI_MCA_mca_base_param_files", self.prefix.share.regraft.join("openmpi-mca-params.conf"))
