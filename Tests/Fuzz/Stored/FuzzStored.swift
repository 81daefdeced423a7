import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The contents of topics, states and positions, as bytes: decoded or refused, never a crash, and a decoded one is
/// encoded so that it decodes to the same. The first byte is the kind; the machines of the stages process the decoded
/// message.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count >= 1, let data else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: data + 1, count: count - 1))
    switch data[0] % 8 {
    case 0: if let event = try? ChangeEvent(decoding: bytes) { checkChange(event) }
    case 1: if let event = try? SubscriptionEvent(decoding: bytes) { checkSubscription(event) }
    case 2: checkMatching(frames(bytes))
    case 3: checkDelivery(frames(bytes))
    case 4: checkFeed(frames(bytes))
    case 5: if let message = try? PositionMessage(decoding: bytes) { checkPosition(message, bytes) }
    case 6: checkPoison(frames(bytes))
    default: if let command = try? Command(decoding: bytes) { checkCommand(command) }
    }
    return 0
}

/// Bytes as several messages, each after its length in two bytes; a truncated one is the last.
private func frames(_ bytes: [UInt8]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var rest = bytes[...]
    while let high = rest.popFirst(), let low = rest.popFirst() {
        let length = Int(high) << 8 | Int(low)
        frames.append(Array(rest.prefix(length)))
        rest = rest.dropFirst(length)
    }
    return frames
}

private func checkChange(_ event: ChangeEvent) {
    guard let change = try? event.change() else { return }
    let bytes = ChangeEvent(change, store: 7).encoded()
    let again = try? ChangeEvent(decoding: bytes)
    // Compared by bytes, as a NaN does not equal itself.
    precondition(again?.encoded() == bytes && (try? again?.change()) != nil, "a change is read as something else")
    _ = change.affectedZone
}

private func checkSubscription(_ event: SubscriptionEvent) {
    guard let saved = try? event.saved() else { return }
    let bytes = SubscriptionEvent(saved: saved, store: 7).encoded()
    let again = try? SubscriptionEvent(decoding: bytes)
    precondition(again?.encoded() == bytes && (try? again?.saved()) != nil, "a subscription is read as something else")
    _ = saved.subscription.condition.identity
}

private func checkPosition(_ message: PositionMessage, _ bytes: [UInt8]) {
    let position = message.position
    precondition(PositionMessage(position).position == position)
    // An empty text, which is what others leave beside an offset, is not taken for the start of all.
    if !position.metadata.isEmpty {
        precondition(LogPosition(metadata: position.metadata, offset: position.offset) == position)
    }
    _ = LogPosition(metadata: String(decoding: bytes, as: UTF8.self), offset: position.offset)
    var moved = position
    for seen in message.seen {
        precondition(!moved.advance(to: seen.position), "a repeat advances")
    }
}

private func checkCommand(_ command: Command) {
    precondition((try? Command(decoding: command.encoded())) == command)
    var position = LogPosition(offset: 0)
    if let source = command.source { precondition(position.advance(to: source.position)) }
}
