"""The parts of the screens.

They only draw. The use cases are in `item_visibility/use_cases`.
"""

PRODUCT = "Item visibility"
