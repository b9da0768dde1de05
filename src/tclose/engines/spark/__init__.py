"""The Spark engine: rows stay on the cluster, classes are measured in its executors, tallies come to the driver."""
