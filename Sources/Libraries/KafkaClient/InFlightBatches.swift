/// The batches under way, in the order in which they are to be handed over, and by the number that their messages
/// carry through librdkafka.
struct InFlightBatches {
    private var slots: [InFlightBatch?] = []
    private var free: [Int] = []
    /// The slots of batches that are not handed over completely, the oldest first.
    private var waiting: [Int] = []
    private var waitingFrom = 0

    /// Indicates whether nothing is under way.
    var isEmpty: Bool { free.count == slots.count }

    /// The oldest batch that is not handed over completely, and its number.
    var next: (slot: Int, batch: InFlightBatch)? {
        guard waitingFrom < waiting.count else { return nil }
        let slot = waiting[waitingFrom]
        return (slot, slots[slot]!)
    }

    /// Takes a batch in; one without messages is complete at once.
    mutating func append(_ batch: InFlightBatch) {
        guard !batch.isFed else { return batch.completeEmpty() }
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(batch) } else { slots[slot] = batch }
        waiting.append(slot)
    }

    /// Takes note that the oldest waiting batch is handed over completely.
    mutating func nextIsFed() {
        waitingFrom += 1
        if waitingFrom == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            waitingFrom = 0
        } else if waitingFrom > 1_024 {
            waiting.removeFirst(waitingFrom)
            waitingFrom = 0
        }
    }

    /// The batch of a number.
    subscript(slot: Int) -> InFlightBatch? { slot < slots.count ? slots[slot] : nil }

    /// Frees the number of a batch of which nothing is under way any more.
    mutating func remove(_ slot: Int) {
        slots[slot] = nil
        free.append(slot)
    }

    /// Fails all batches. Those with messages under way keep their numbers until librdkafka has reported on them,
    /// unless nobody is going to listen.
    mutating func failAll(_ error: KafkaError, keepingThoseUnderWay isKeeping: Bool) {
        waiting.removeAll()
        waitingFrom = 0
        for slot in slots.indices {
            guard let batch = slots[slot] else { continue }
            batch.fail(error)
            if !isKeeping || batch.isDone { remove(slot) }
        }
    }
}
