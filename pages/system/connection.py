"""Is it us or them? Check each step between this dashboard and the service."""

from components.item.picker import last_item
from components.notices import show_notices
from components.session import get_desk
from components.support.connection_report import examine_connection
from components.support.demo_switches import show_demo_switches

desk = get_desk()
show_notices()

# 1. Examine: a token, one read, our own database.
examine_connection(desk, last_item(desk))

# 2. In a demo: switches for behaviour that the specification leaves open.
if desk.demo is not None:
    show_demo_switches(desk.demo, last_item(desk))
