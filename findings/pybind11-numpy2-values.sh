#!/bin/sh
# Expected: an extension that cannot work with the NumPy that is installed fails when it is imported, as extensions that were compiled for NumPy 1
# do (NumPy 2.0 migration guide). pybind11 2.12 is the first with support for NumPy 2 (changelog of pybind11).
# What happens: an extension made with pybind11 2.10.3, the version of Debian 12, is imported with NumPy 2 without a word, and all elements of an
# array that it returns are the first one: it reads the size of an element as 0 where NumPy 2 has moved it. With pybind11 2.13.6 they are right.
# Versions: pybind11 2.10.3 and 2.13.6, NumPy 2.2.6 (PyPI). Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > counted.cpp <<'END'
#include <pybind11/numpy.h>

PYBIND11_MODULE(counted, module) {
    module.def("numbers", [] {
        double const values[] = {1, 2, 3};
        return pybind11::array_t<double>(3, values);
    });
}
END
for version in 2.10.3 2.13.6; do
    python3 -m venv "$version"
    "$version/bin/pip" install --quiet "pybind11==$version" numpy==2.2.6
    python=$folder/$version/bin/python
    suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
    # shellcheck disable=SC2046
    c++ -std=c++17 -shared -fPIC $("$python" -m pybind11 --includes) counted.cpp -o "$version/counted$suffix"
    (cd "$version" && "$python" -c '
import counted, numpy, pybind11
print("pybind11", pybind11.__version__, "NumPy", numpy.__version__, counted.numbers().tolist())') | tee "$version.txt"
done
grep -q "\[1.0, 1.0, 1.0\]" 2.10.3.txt
grep -q "\[1.0, 2.0, 3.0\]" 2.13.6.txt
echo "as described"
