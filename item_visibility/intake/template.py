"""An empty list to fill in."""

from item_visibility.files.xlsx_out import write_xlsx

TEMPLATE_HEADER = ("Supplier", "Item", "Recipient", "Action")


def write_template() -> bytes:
    """A workbook with the headings of a list, and columns of text cells: no number typed in is shortened."""
    return write_xlsx(TEMPLATE_HEADER, ())
