"""Tables in files: CSV and XLSX, in and out, with every text exactly as it was. No screens, no database."""
