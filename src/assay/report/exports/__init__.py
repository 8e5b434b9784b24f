"""Machine-readable files of the site: tables as CSV, the data of figures, and metadata of data sets."""
