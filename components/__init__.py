"""The parts of the screens: drawing only. What a person can do is in `item_visibility.desk.use_cases`."""
