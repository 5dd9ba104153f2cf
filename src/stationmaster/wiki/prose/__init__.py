"""What a model writes: pages of a wiki that is complete without it, and answers to questions.

Off unless the operator names a model. It receives lines of documents and code and nothing else.
What it returns is checked sentence by sentence as any input is: by its form, and by a second
question that tries to refute each sentence against the lines that it cites.
"""
