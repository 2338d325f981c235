#!/bin/bash
# Gradescope runs this once, when it builds the image of the autograder: unpacks the starter, and installs what grading
# needs. Then it builds the starter, so that only the files that a student has changed are built for each submission.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p tree
tar -xzf starter.tar.gz -C tree
tree/scripts/install-deps grade
tree/scripts/lab grade --starter starter.tar.gz --only boots
