"""The bundled service, for the tests that wire a whole desk."""

from tests.support.bundled_service import operation_log, service, shared_services

__all__ = ["operation_log", "service", "shared_services"]
