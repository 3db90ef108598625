"""What spreadsheets and mails do to ids, and how it is found."""
