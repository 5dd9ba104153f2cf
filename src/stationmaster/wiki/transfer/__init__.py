"""Wikis as files on their way in and out: uploads, archives, folders, layouts."""
