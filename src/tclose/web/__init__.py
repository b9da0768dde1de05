"""The page: the same verbs as the library, shown in a browser by a server that only this machine can reach."""
