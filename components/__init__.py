"""What the screens are made of: drawing only. What a person can do stands in `item_visibility.desk.desk`."""
