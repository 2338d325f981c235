#!/bin/bash
# Gradescope runs this once, when it builds the image of the autograder: unpacks the starter and installs what grading needs.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p tree
tar -xzf starter.tar.gz -C tree
tree/scripts/install-deps grade
