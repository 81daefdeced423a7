import CRDKafka

extension ProducerLoop {
    /// After so many messages delivery reports get their turn.
    private static let fedAtOnce = 10_000

    /// Hands waiting messages to librdkafka, as far as there is room; returns true if there were any. Many at a time:
    /// each time it is woken, librdkafka walks over all topics that it knows.
    func feed() -> Bool {
        let before = outstandingMessages
        while outstandingMessages - before < Self.fedAtOnce, failure == nil, let (slot, batch) = batches.next {
            let room = messagesMax - outstandingMessages
            guard room > 0, outstandingBytes < bytesMax else { break }
            let isTaken =
                MessageRun.fits(batch.messages[batch.cursor])
                ? feedRun(of: batch, slot: slot, room: room) : feedOne(of: batch, slot: slot)
            guard isTaken else { break }
            if batch.isFed { batches.nextIsFed() }
        }
        return outstandingMessages > before
    }

    /// Hands over the messages that follow each other to one topic; false if librdkafka has no room for all of them.
    private func feedRun(of batch: InFlightBatch, slot: Int, room: Int) -> Bool {
        messages.removeAll()
        let first = batch.cursor
        let topic = batch.messages.withUnsafeBufferPointer { all in
            let topic = all[first].topic
            var index = first
            while index < all.count, index - first < room, all[index].topic == topic,
                MessageRun.fits(all[index]), messages.append(all[index], tag: tag(slot, index))
            {
                index += 1
            }
            return topic
        }
        let count = messages.count
        do throws(KafkaError) {
            switch messages.produce(to: try topics.handle(of: topic, client: client)) {
            case .taken(let taken, let valueBytes):
                outstandingMessages += taken
                outstandingBytes += valueBytes
                batch.advance(by: taken)
                return taken == count
            case .refused(let code): throw refusal(code, "send \(count) messages to \(topic)")
            }
        } catch {
            fail(error)
            return false
        }
    }

    /// Hands over one message with headers, a time of its own, or more bytes than a run takes; false if librdkafka has
    /// no room for it.
    private func feedOne(of batch: InFlightBatch, slot: Int) -> Bool {
        let message = batch.messages[batch.cursor]
        do throws(KafkaError) {
            let topic = try topics.handle(of: message.topic, client: client)
            let code = client.withPointer { produce(message, tag(slot, batch.cursor), topic, $0) }
            if code == RD_KAFKA_RESP_ERR__QUEUE_FULL { return false }
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
                throw refusal(code, "send a message to \(message.topic)[\(message.partition)]")
            }
        } catch {
            fail(error)
            return false
        }
        outstandingMessages += 1
        outstandingBytes += message.value?.count ?? 0
        batch.advance(by: 1)
        return true
    }

    private func produce(
        _ message: KafkaOutgoingMessage, _ tag: UInt, _ topic: OpaquePointer, _ client: OpaquePointer
    ) -> rd_kafka_resp_err_t {
        var headers: OpaquePointer?
        if !message.headers.isEmpty {
            headers = rd_kafka_headers_new(message.headers.count)
            for header in message.headers {
                _ = header.value.withUnsafeBytes { value in
                    // A length of -1 says that the name ends with a zero byte.
                    rd_kafka_header_add(headers, header.name, -1, value.baseAddress, value.count)
                }
            }
        }
        let failure = withBytes(message.key) { key in
            withBytes(message.value) { value in
                crdkafka_produce(
                    client, topic, message.partition, key?.baseAddress, key?.count ?? 0, value?.baseAddress,
                    value?.count ?? 0, message.timestampMilliseconds, headers, UnsafeMutableRawPointer(bitPattern: tag))
            }
        }
        guard let failure else { return RD_KAFKA_RESP_ERR_NO_ERROR }
        if let headers { rd_kafka_headers_destroy(headers) }
        defer { rd_kafka_error_destroy(failure) }
        return rd_kafka_error_code(failure)
    }

    /// The bytes of an array, or of no array; an empty one has an address too, as NULL means none.
    private func withBytes(
        _ array: [UInt8]?, _ body: (UnsafeRawBufferPointer?) -> OpaquePointer?
    ) -> OpaquePointer? {
        guard let array else { return body(nil) }
        return array.withUnsafeBytes { bytes in
            if bytes.baseAddress != nil { return body(bytes) }
            var nothing: UInt8 = 0
            return withUnsafeBytes(of: &nothing) { body(UnsafeRawBufferPointer(rebasing: $0[0..<0])) }
        }
    }

    /// Returns the tag that a message carries through librdkafka, never zero.
    private func tag(_ slot: Int, _ index: Int) -> UInt { UInt(slot + 1) << 32 | UInt(index) }

    private func refusal(_ code: rd_kafka_resp_err_t, _ attempt: String) -> KafkaError {
        client.withPointer { KafkaError.fatal(of: $0, attempt) } ?? KafkaError(code, attempt)
    }
}
