"""Code that runs in the processes of the sandbox. It imports only the standard library, and nothing of Assay.

The warm template imports this folder as the package `inside`, the parent as `assay.sandbox.inside`, so its
modules import each other relatively. Hostile code shares a process with these modules, and can read and
change them there.
"""
