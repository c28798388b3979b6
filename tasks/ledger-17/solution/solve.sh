#!/bin/sh
# The reference solution: writes the answer key. Needs nothing but a POSIX shell.
printf '%s\n' 'Lambert Crabtree' > /app/answer.txt
