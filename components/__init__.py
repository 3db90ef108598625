"""The parts of the screens. They only draw; the use cases are in `item_visibility.use_cases.desk`."""

PRODUCT = "Item visibility"
