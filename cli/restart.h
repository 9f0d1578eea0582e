// Starting the tool again where the libraries that it is linked with need other settings.
#pragma once

namespace ingot::cli {

// OpenBLAS starts a thread for each core before main does. Each maps a buffer of 128 MiB, and asks for it again for ever,
// even at the end of the process, where `ulimit -v` leaves no room. Under such a limit the tool starts again with one
// thread, unless OPENBLAS_NUM_THREADS says how many there are.
void restart_within_address_space(char** argv);

}  // namespace ingot::cli
