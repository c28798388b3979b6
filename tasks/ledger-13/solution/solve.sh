#!/bin/sh
# The reference solution: writes the answer key. Needs nothing but a POSIX shell.
printf '%s\n' '$144,576.02' > /app/answer.txt
