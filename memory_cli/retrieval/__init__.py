"""From a query to ranked hits: words, meaning, their fusion, and what says the same twice."""
