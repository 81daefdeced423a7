print("KafkaClientBenchmark")
