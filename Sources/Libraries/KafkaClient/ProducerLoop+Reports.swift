import CRDKafka

extension ProducerLoop {
    /// Takes the delivery reports and errors that have come, and says whether there were any.
    func serveReports() -> Bool {
        var events = 0
        while events < 16, let event = rd_kafka_queue_poll(queue, 0) {
            events += 1
            var reports = (messages: 0, valueBytes: 0)
            switch rd_kafka_event_type(event) {
            case RD_KAFKA_EVENT_DR: reports = serveReports(of: event)
            case RD_KAFKA_EVENT_ERROR: serveError(event)
            default: break
            }
            // Only now has librdkafka room for as many more.
            rd_kafka_event_destroy(event)
            outstandingMessages -= reports.messages
            outstandingBytes -= reports.valueBytes
        }
        return events > 0
    }

    /// The messages belong to the event; it hands out the array in parts.
    private func serveReports(of event: OpaquePointer) -> (messages: Int, valueBytes: Int) {
        withUnsafeTemporaryAllocation(of: UnsafePointer<rd_kafka_message_t>?.self, capacity: 1_024) { part in
            var messages = 0
            var valueBytes = 0
            while true {
                let count = rd_kafka_event_message_array(event, part.baseAddress, part.count)
                if count == 0 { return (messages, valueBytes) }
                messages += count
                for index in 0..<count {
                    let message = part[index]!
                    valueBytes += message.pointee.len
                    report(on: message)
                }
            }
        }
    }

    @inline(__always)
    private func report(on message: UnsafePointer<rd_kafka_message_t>) {
        let tag = UInt(bitPattern: message.pointee._private)
        let slot = Int(tag >> 32) - 1
        guard let batch = batches[slot] else { return }
        if message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
            batch.acknowledged(Int(tag & 0xFFFF_FFFF), offset: message.pointee.offset)
            if batch.isDone { batches.remove(slot) }
        } else {
            refuse(message, batch, slot)
        }
    }

    private func refuse(_ message: UnsafePointer<rd_kafka_message_t>, _ batch: InFlightBatch, _ slot: Int) {
        let partition = "\(String(cString: rd_kafka_topic_name(message.pointee.rkt)))[\(message.pointee.partition)]"
        let attempt = "write a message to \(partition)"
        let code = message.pointee.err
        let error =
            isPurge(code) || code == RD_KAFKA_RESP_ERR__FATAL
            ? client.withPointer { KafkaError.fatal(of: $0, attempt) }
                ?? KafkaError(code, attempt, detail: client.lastTransactionTrouble)
            // The refused message says more than the fatal error that follows from it.
            : KafkaError(code, attempt, isFatal: !core.isTransactional)
        // First of all, so that the handlers of failed messages find the producer dead.
        fail(error)
        guard batches[slot] === batch else { return }
        batch.refused(failure ?? error)
        if batch.isDone { batches.remove(slot) }
    }

    private func isPurge(_ code: rd_kafka_resp_err_t) -> Bool {
        code == RD_KAFKA_RESP_ERR__PURGE_QUEUE || code == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT
    }

    /// Only fatal errors matter: librdkafka recovers from the others by itself, and nothing times out.
    private func serveError(_ event: OpaquePointer) {
        guard rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR__FATAL else { return }
        if let error = client.withPointer({ KafkaError.fatal(of: $0, "go on sending") }) { fail(error) }
    }
}
