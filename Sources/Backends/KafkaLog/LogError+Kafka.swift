import EventLog
import KafkaClient

extension LogError {
    /// The failure as the port's error.
    init(_ error: KafkaError) {
        if error.isTopicAbsent {
            self = .unknownTopic(error.message)
        } else if error.isRetriable {
            self = .unavailable(error.description)
        } else {
            self = .broken(error.description)
        }
    }

    init(_ error: KafkaTransactionError) {
        switch error {
        case .fenced(let error): self = .fenced(error.description)
        case .refused(let error), .abortable(let error): self = LogError(error)
        case .indefinite(let error): self = .writeFailed(error.description)
        }
    }
}

extension TopicPartition {
    /// The partition as KafkaClient names it.
    var kafka: KafkaTopicPartition { KafkaTopicPartition(topic: topic.rawValue, partition: partition) }

    init(_ partition: KafkaTopicPartition) {
        self.init(TopicName(partition.topic), partition.partition)
    }
}
