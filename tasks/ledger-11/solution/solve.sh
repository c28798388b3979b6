#!/bin/sh
# The reference solution: writes the answer key. Needs nothing but a POSIX shell.
printf '%s\n' '$262,296.03' > /app/answer.txt
