"""Files of the site for programs: tables as CSV, the numbers of figures, descriptions of the data."""
