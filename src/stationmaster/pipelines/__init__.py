"""CI configuration as facts: the workflows of a commit, which agents they run, what is wrong there.

Systems that are read in full have a module each, all others a row of the catalogue; findings look
at the one model of both. It runs nothing, contacts no server, and stores the names of secrets, not
their values. `scanning` keeps what scans of an organization's repositories find.
"""
