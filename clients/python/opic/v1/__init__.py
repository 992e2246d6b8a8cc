"""The messages of opic.v1: one module for each file of proto/opic/v1, made from it when the package is built."""
