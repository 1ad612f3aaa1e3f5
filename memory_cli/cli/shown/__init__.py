"""How families of results are shown, each imported when one of it is printed."""
