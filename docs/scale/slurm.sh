#!/bin/sh
# A Slurm array: each task runs its part. ptybot takes its number from SLURM_ARRAY_TASK_ID.
#     sbatch --array=0-11 slurm.sh dock.yaml --warp max -- ./my_driver
#     ptybot merge part-*.ndjson --junit result.xml       # when all have ended
# A task that is requeued, or whose node dies, continues after the last case in its file, which is
# on a file system that all nodes share.
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --cpus-per-task=2
#SBATCH --output=part-%a.log
ptybot test --resume --results "part-$SLURM_ARRAY_TASK_ID.ndjson" "$@"
code=$?
# Failed tests are in the results. The task itself fails only if a case could not be run (3, which
# may be requeued) or for invalid arguments (2).
[ $code -le 1 ] || exit $code
