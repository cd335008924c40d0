/* A C library without 32-bit support has no list of what it lacks there. */
