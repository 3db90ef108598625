"""Is it us or them? Check each step between this dashboard and the service."""

from components.connection import examine_connection, show_demo_switches
from components.item.picker import last_item
from components.notices import show_notices
from components.session import get_desk

desk = get_desk()
show_notices()

# 1. Test a token, one read and our own database.
examine_connection(desk, last_item(desk))

# 2. In a demo: switches for behaviour that the specification leaves open.
if desk.demo is not None:
    show_demo_switches(desk.demo, last_item(desk))
