"""Recipients without a name, in the order in which the table shows them."""

from item_visibility_service.sample import with_check_digit

ANNA, BERTA, CLARA, DORA, EMMA = (with_check_digit(f"95230099000{number}") for number in range(1, 6))
