"""Random processes, by their exact laws."""
