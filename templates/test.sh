#!/bin/sh
# The verifier's entry: judge.py reads the answer and writes the reward. It isn't written when judging fails, so that
# a failure of the judge never counts as a wrong answer.
set -eu
here=${0%/*}
# -I: neither the working folder nor PYTHON* variables, both in the agent's reach, decide what is imported.
exec python3 -I "$here/judge.py"
