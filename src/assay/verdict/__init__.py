"""Whether a build is the frozen one."""
