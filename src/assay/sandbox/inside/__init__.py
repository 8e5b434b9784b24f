"""What runs in the processes of the sandbox; the standard library only, and nothing of Assay.

The warm template imports this folder as a package named `inside`, the parent as `assay.sandbox.inside`:
modules here import each other relatively. Whatever stands here is in the memory of hostile code.
"""
