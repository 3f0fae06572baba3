// Package spark tests svc_verify_spark.py on a real cluster of Spark: a master and
// workers on loopback, with the real svc-verify. The file install.sh installs Spark.
package spark
