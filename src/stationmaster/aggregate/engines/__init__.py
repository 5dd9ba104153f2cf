"""The engines that run the queries, and the queries' order."""
