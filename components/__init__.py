"""The parts of the screens: drawing only. The use cases are in `item_visibility.use_cases.desk`."""

PRODUCT = "Item visibility"
