"""One screen a file, one level down: a script directly in here would be served without the frame."""
