"""An empty list to fill in."""

from item_visibility.files.xlsx_out import write_xlsx

TEMPLATE_HEADER = ("Supplier", "Item", "Recipient", "Action")


def write_template() -> bytes:
    """Return a workbook with the headings of a list. Its cells are text, so no typed number is shortened."""
    return write_xlsx(TEMPLATE_HEADER, ())
