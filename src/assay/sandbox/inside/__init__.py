"""Code that runs in the processes of the sandbox; it imports the standard library only, and nothing of Assay.

The warm template imports this folder as a package named `inside`, the parent as `assay.sandbox.inside`, so
its modules import each other relatively. Everything here is in the memory of hostile code.
"""
