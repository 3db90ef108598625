"""XLSX and ODS, read by Python's own XML parser, as a stream."""
