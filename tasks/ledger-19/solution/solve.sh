#!/bin/sh
# The reference solution: writes the answer key. Needs nothing but a POSIX shell.
printf '%s\n' 'Nell Oldcastle' > /app/answer.txt
