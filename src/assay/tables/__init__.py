"""Tables: what they declare, how they are written, read, hashed and compared."""
