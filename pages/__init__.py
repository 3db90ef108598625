"""The screens, one file each, a level down: a script directly in here would be served without the frame."""
