"""Sets of tools that other memory systems' users know: their names, arguments and answers over our operations."""
