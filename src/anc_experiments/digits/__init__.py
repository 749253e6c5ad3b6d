"""Digits: networks that read handwritten digits, trained through programs on the programs' results."""
