"""The words used in the sample's names. All companies are invented."""

SUPPLIERS = (
    "Harbour Mill Foods",
    "Nordlicht Molkerei",
    "Casa Oliveto",
    "Brightwater Home Care",
    "Ferme des Tilleuls",
    "Alpenrand Getränke",
    "Lantern Street Bakery",
    "Polder & Daughters",
    "Kestrel Pet Supplies",
    "Zielona Dolina",
)

PRODUCTS = (
    ("Oat biscuits", "Rye crackers", "Wholemeal flour", "Rolled oats"),
    ("Farm butter", "Mild yoghurt", "Young gouda", "Buttermilk"),
    ("Green olives", "Olive oil", "Tomato passata", "Dried basil"),
    ("Washing powder", "Dish soap", "Window cleaner", "Citrus polish"),
    ("Goat cheese", "Chestnut cream", "Fig jam", "Cider vinegar"),
    ("Elderflower soda", "Apple juice", "Spring water", "Herbal tea"),
    ("Sourdough loaf", "Cinnamon rolls", "Baguettes to bake", "Rusks"),
    ("Leek soup", "Pea soup", "Baby potatoes", "Red cabbage"),
    ("Cat litter", "Dog biscuits", "Bird seed", "Hay for rabbits"),
    ("Pickled gherkins", "Beetroot salad", "Horseradish", "Plum spread"),
)

SIZES = ("250 g", "500 g", "1 kg", "family pack")

RECIPIENT_NAMES = (
    "Marktplatz",
    "Blue Door",
    "Tramway",
    "Kornblume",
    "Le Panier",
    "Old Quay",
    "Sonnenhof",
    "Three Rivers",
    "Villa Verde",
    "Westend",
    "Bramble Lane",
    "Lindenallee",
    "Silver Birch",
    "Orangerie",
    "Northgate",
)

RECIPIENT_KINDS = (
    "Supermarkets",
    "Online Shop",
    "Wholesale",
    "Corner Stores",
    "Drugstores",
    "Catering",
    "Discount",
    "Pharmacy Supply",
    "Convenience",
    "Cash & Carry",
)

AWKWARD_RECIPIENTS = (
    ("branch 17 north", "Branch North"),
    ("AT/4020/02", "Depot Linz"),
    ("club-50%", "Half Price Club"),
    ("Müller-Köln", "Müller Köln"),
    ("outlet-\N{SHOPPING BAGS}", "Riverside Outlet"),
    ("kiosk-000815", "Harbour Kiosk"),
    ("shop *bold*", "Bold Fashion"),
)
"""Ids that are hard to write, send and show. They come after the numbers: the first page shows usual ones."""
