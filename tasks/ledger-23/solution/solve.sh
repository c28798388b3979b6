#!/bin/sh
# The reference solution: writes the answer key. Needs nothing but a POSIX shell.
printf '%s\n' '$116,425.14' > /app/answer.txt
