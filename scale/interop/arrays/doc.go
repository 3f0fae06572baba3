// Package arrays runs the scripts of scale/slurm under a real Slurm, and the scripts of
// scale/aws-batch with a client that plays AWS Batch. The job definitions of AWS Batch are
// sent by AWS's own client, to a server on loopback.
package arrays
