#!/bin/sh
# A Slurm array: each task runs its part. ptybot takes its number from SLURM_ARRAY_TASK_ID.
#     sbatch --array=0-11 slurm.sh dock.yaml --warp max -- ./my_driver
#     ptybot merge part-*.ndjson --junit result.xml       # when all have ended
# A task that is requeued, or whose node dies, goes on behind the last case in its file, which is on a file system
# that all nodes have.
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --cpus-per-task=2
#SBATCH --output=part-%a.log
ptybot test --resume --results "part-$SLURM_ARRAY_TASK_ID.ndjson" "$@"
code=$?
# What failed is in the results; only what could not be run fails the task, to be requeued.
[ $code -lt 3 ] || exit $code
