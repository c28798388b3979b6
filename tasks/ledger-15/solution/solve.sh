#!/bin/sh
# The reference solution: writes the answer key. Needs nothing but a POSIX shell.
printf '%s\n' '$61,316.54' > /app/answer.txt
