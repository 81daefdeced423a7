print("HTTPServerBenchmark")
