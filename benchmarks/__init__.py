"""What is measured, how, and against whom; each module is a command."""
