"""Answer a customer's question: can this recipient see this item, and if not, why?"""
