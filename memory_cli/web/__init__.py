"""The browser view: one page and the routes that it asks, over the same operations as every other front end."""
