"""The bundled service, for the commands that work with a configured one."""

from tests.support.bundled_service import operation_log, service, shared_services

__all__ = ["operation_log", "service", "shared_services"]
