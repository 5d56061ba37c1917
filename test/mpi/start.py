# SPDX-License-Identifier: BSL-1.0
"""How the tests of several processes start them, and whether they can."""
import os
import shutil
import subprocess

# As root, with more processes than processors, through shared memory without the system's copies from process to process, and yielding to each other.
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader",
                            "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_mpi_yield_when_idle": "1"}


def reason_against(mpirun, probe):
    """Why no processes can be started here, or "". probe: probe.cpp, a program that has nothing to do with the library."""
    if not shutil.which(mpirun):
        return "there is no mpirun"
    try:
        done = subprocess.run([mpirun, "-n", "2", probe], capture_output=True, text=True, errors="replace", env=ENVIRONMENT, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "MPI does not work here: two processes did not add two numbers in a minute"
    return "" if done.returncode == 0 else f"MPI does not work here:\n{done.stdout[-1000:]}{done.stderr[-2000:]}"
