#!/bin/sh
# The reference solution: writes the answer key. Needs nothing but a POSIX shell.
printf '%s\n' 'Vesper Burdock' > /app/answer.txt
