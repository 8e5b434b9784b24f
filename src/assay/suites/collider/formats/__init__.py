"""File formats: YAML documents, histograms as in HEPData, files of events, printed numbers."""
