print("SQLiteLogBenchmark")
