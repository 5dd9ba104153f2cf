"""GitLab CI: the pipeline of `.gitlab-ci.yml`."""
