"""Mock runs with a known verdict, which the validation examines."""
