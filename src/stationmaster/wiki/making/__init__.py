"""From a commit to a stored run: gathering, planning, writing, remembering."""
